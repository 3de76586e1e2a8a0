# Two stages: the first has pip and a C compiler, the second only what they made.
#
#   docker build -t goodputd .
#   docker run -p 9642:9642 goodputd
#   docker run -p 9642:9642 -v ./my.toml:/etc/goodputd/goodputd.toml:ro goodputd
#
# It needs no privilege and no writable file system: --read-only --cap-drop ALL is fine.

FROM python:3.13-bookworm AS build
WORKDIR /src
COPY pyproject.toml constraints.txt LICENSE ./
COPY daemon daemon
# The environment gets no pip of its own: what runs cannot install. The core is compiled.
RUN python -m venv --without-pip /opt/goodputd \
 && HATCH_BUILD_HOOKS_ENABLE=1 pip --python /opt/goodputd install --no-cache-dir --constraint constraints.txt .

FROM python:3.13-slim-bookworm
LABEL org.opencontainers.image.title="goodputd" \
      org.opencontainers.image.description="Failure economics of large synchronous training, for Prometheus" \
      org.opencontainers.image.licenses="MIT"
COPY --from=build /opt/goodputd /opt/goodputd
COPY config/default.toml /etc/goodputd/goodputd.toml
ENV PATH=/opt/goodputd/bin:$PATH \
    PYTHONDONTWRITEBYTECODE=1 \
    PYTHONUNBUFFERED=1 \
    GOODPUTD_HTTP__LISTEN=0.0.0.0:9642
USER 10001:10001
EXPOSE 9642
HEALTHCHECK --interval=10s --timeout=3s --start-period=5s CMD ["goodputd", "health"]
ENTRYPOINT ["goodputd"]
CMD ["serve", "-c", "/etc/goodputd/goodputd.toml"]

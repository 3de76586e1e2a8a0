// Draws one dashboard: reads the address, loads the JSON, mounts the scene, reports to the driver.
//
// ?dashboard=NAME&theme=dark|light[&history=SECONDS]; with `history` a longer time range of the
// dashboard is cut to what the data covers. The driver reads `window.look`.
import "@fontsource/inter/400.css";
import "@fontsource/inter/500.css";
import "@fontsource/inter/600.css";
import { createTheme, ThemeContext } from "@grafana/data";
import { config, LocationServiceProvider, locationService } from "@grafana/runtime";
import { GlobalStyles, PortalContainer } from "@grafana/ui";
import { createRoot } from "react-dom/client";
import { MemoryRouter } from "react-router-dom";
import { prepareGrafana } from "./grafana.js";
import { Header } from "./Header.jsx";
import { watch } from "./record.js";
import { addPanels, buildScene, hasVariables } from "./scene.js";

const TURN_MS = 50;

async function draw() {
  const address = new URLSearchParams(window.location.search);
  const theme = createTheme({ colors: { mode: address.get("theme") ?? "dark" } });
  config.theme2 = theme;
  document.body.style.margin = 0;
  document.body.style.background = theme.colors.background.canvas;
  prepareGrafana();

  const answer = await fetch(`/dashboards/${address.get("dashboard")}.json`);
  if (!answer.ok) {
    throw new Error(`no dashboard ${address.get("dashboard")}: HTTP ${answer.status}`);
  }
  const history = address.get("history");
  const dashboard = await answer.json();
  const scene = buildScene(dashboard, history === null ? undefined : Number(history));
  createRoot(document.getElementById("root")).render(
    <ThemeContext.Provider value={theme}>
      <MemoryRouter>
        <LocationServiceProvider service={locationService}>
          <GlobalStyles />
          <div
            style={{
              display: "flex",
              flexDirection: "column",
              gap: 16,
              minHeight: "100vh",
              padding: 16,
              boxSizing: "border-box",
            }}
          >
            <Header title={dashboard.title} links={dashboard.links ?? []} />
            <scene.Component model={scene} />
          </div>
          <PortalContainer />
        </LocationServiceProvider>
      </MemoryRouter>
    </ThemeContext.Provider>,
  );
  await until(() => hasVariables(scene));
  addPanels(scene, dashboard);
  watch(scene);
}

async function until(condition) {
  while (!condition()) {
    await new Promise((resolve) => setTimeout(resolve, TURN_MS));
  }
}

draw().catch((error) => {
  window.look = { failure: String(error.stack ?? error) };
});

// The dashboard's title and links, which in Grafana stand in the frame around the dashboard.
import { LinkButton, Stack, Text } from "@grafana/ui";

export function Header({ title, links }) {
  return (
    <Stack alignItems="center" gap={1} wrap="wrap">
      <Text element="h1" variant="h3">
        {title}
      </Text>
      {links.map((link) => (
        <LinkButton
          key={link.title}
          href={link.url ?? "#"}
          variant="secondary"
          size="sm"
          fill="outline"
          icon={iconOf(link)}
        >
          {link.title}
        </LinkButton>
      ))}
    </Stack>
  );
}

function iconOf({ type, icon }) {
  return type === "dashboards" || icon === "dashboard" ? "apps" : "external-link-alt";
}

// Opens a dashboard in Chromium, waits until every query has answered, takes the picture, asks what was seen.
import { createRequire } from "node:module";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { CACHE, PROJECT } from "./settings.mjs";

const WIDTH = 1600;
const PATIENCE_SECONDS = 60;
const QUIET_TURNS = 5;
const TURN_MS = 200;
const FLAGS = ["--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--font-render-hinting=none"];
const FLAGS_OF_A_QUIET_BROWSER = [
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** A browser that can look at one dashboard after the other. */
export async function openBrowser(executablePath) {
  const { chromium } = createRequire(path.join(PROJECT, "package.json"))("playwright-core");
  const browser = await chromium.launch({ executablePath, args: [...FLAGS, ...FLAGS_OF_A_QUIET_BROWSER] });
  return { look: (what) => look(browser, what), close: () => browser.close() };
}

async function look(browser, { site, name, theme, history }) {
  const context = await browser.newContext({ viewport: { width: WIDTH, height: 1000 }, colorScheme: theme });
  const page = await context.newPage();
  const crashes = [];
  page.on("pageerror", (error) => crashes.push(error.message));
  const address = new URLSearchParams({
    dashboard: name,
    theme,
    ...(history ? { history: Math.floor(history) } : {}),
  });
  await page.goto(`${site}/?${address}`);
  const unfinished = await quiet(page);
  await page.setViewportSize({ width: WIDTH, height: await page.evaluate(pageHeight) });
  await quiet(page);
  const seen = await page.evaluate(whatIsSeen);
  const picture = path.join(CACHE, theme === "dark" ? `${name}.png` : `${name}-${theme}.png`);
  await page.screenshot({ path: picture, fullPage: true });
  await context.close();
  return { ...seen, crashes, unfinished, picture };
}

/** Waits until nothing is asked any more for a while; gives the titles of the panels that never finished. */
async function quiet(page) {
  const giveUpAt = Date.now() + PATIENCE_SECONDS * 1000;
  for (let turns = 0, before = -1; turns < QUIET_TURNS;) {
    const now = await page.evaluate(progress);
    if (now.failure || Date.now() > giveUpAt) {
      return now.unfinished;
    }
    turns = now.ready && now.asked === before ? turns + 1 : 0;
    before = now.asked;
    await sleep(TURN_MS);
  }
  await page.evaluate(() => document.fonts.ready);
  return [];
}

// What follows runs in the page.

function progress() {
  const { failure, asked, settled, unfinished } = window.look ?? {};
  return {
    failure,
    ready: settled !== undefined && settled(),
    asked: asked?.(),
    unfinished: unfinished === undefined ? ["the page itself"] : unfinished(),
  };
}

function pageHeight() {
  const bottoms = [...document.querySelectorAll("[data-viz-panel-key]")].map(
    (panel) => panel.getBoundingClientRect().bottom,
  );
  return Math.ceil(Math.max(document.documentElement.scrollHeight, ...bottoms)) + 16;
}

function whatIsSeen() {
  const header = "data-testid Panel header ";
  const titleOf = (element) =>
    element.closest(`[data-testid^='${header}']`)?.dataset.testid.slice(header.length) ?? "?";
  const scrolls = (element) =>
    ["auto", "scroll"].includes(getComputedStyle(element).overflowY) &&
    element.scrollHeight > element.clientHeight + 2;
  const within = (selector) => [...document.querySelectorAll(`[data-viz-panel-key] ${selector}`)];
  return {
    failure: window.look?.failure,
    queries: window.look?.queries?.() ?? [],
    defects: window.look?.defects ?? [],
    panels: window.look?.panels?.() ?? [],
    failed: window.look?.failed?.() ?? [],
    withoutData: within("[data-testid='no-data']").map(titleOf),
    broken: within("[data-testid='data-testid Alert error']").map(
      (alert) => `${titleOf(alert)}: ${alert.textContent}`,
    ),
    scrolling: [...new Set(within("*").filter(scrolls).map(titleOf))],
  };
}

// Keeps the status page live: replaces the fragments that the server says have changed.
// The page is complete without this script; the server renders every fragment.

const status = document.getElementById("connection");
const button = document.getElementById("pause");
const box = document.getElementById("live");
const waiting = new Map();
let source = null;

function say(text) {
  // A live region is read aloud when it changes, so it changes only with the connection.
  if (status.textContent !== text) {
    status.textContent = text;
  }
}

function selects(element) {
  const selection = document.getSelection();
  return selection !== null && !selection.isCollapsed && selection.intersectsNode(element);
}

function replace(element, html) {
  const focused = element.contains(document.activeElement) ? document.activeElement : null;
  const where = focused === null ? null : focused.getAttribute("href");
  element.innerHTML = html;
  if (focused !== null && focused !== element) {
    const again = where === null ? null : element.querySelector(`a[href="${CSS.escape(where)}"]`);
    if (again !== null) {
      again.focus({ preventScroll: true });
    }
  }
}

function show() {
  for (const [name, html] of waiting) {
    const element = document.querySelector(`[data-live="${CSS.escape(name)}"]`);
    if (element === null) {
      waiting.delete(name);
    } else if (!selects(element)) {
      replace(element, html);
      waiting.delete(name);
    }
  }
}

function listen() {
  source = new EventSource("api/v1/events?events=fragments");
  source.addEventListener("open", () => say("live"));
  source.addEventListener("fragments", (event) => {
    for (const [name, html] of Object.entries(JSON.parse(event.data))) {
      waiting.set(name, html);
    }
    show();
  });
  source.addEventListener("error", () => {
    say("no connection, trying again");
    if (source !== null && source.readyState === EventSource.CLOSED) {
      source = null;
      setTimeout(resume, 5000);
    }
  });
}

function stop() {
  if (source !== null) {
    source.close();
    source = null;
  }
}

function paused() {
  return button.getAttribute("aria-pressed") === "true";
}

function resume() {
  if (source === null && !paused() && document.visibilityState === "visible") {
    listen();
  }
}

if (box !== null) {
  box.hidden = false;
  button.addEventListener("click", () => {
    const pause = !paused();
    button.setAttribute("aria-pressed", String(pause));
    if (pause) {
      stop();
      say("paused");
    } else {
      resume();
    }
  });
  document.addEventListener("visibilitychange", () => {
    if (document.visibilityState === "visible") {
      resume();
    } else {
      stop();
    }
  });
  // The connection ends with the page, also when the page is kept for the way back.
  window.addEventListener("pagehide", stop);
  window.addEventListener("pageshow", resume);
  resume();
}

// Looks at the operators' pages in a real browser: signs in by a one-time link, loads each page wide and narrow, looks at it in
// light and dark with axe-core beside it, and goes on without script. Prints what was found as JSON.
//
// node console_look.mjs BROWSER LINK PATH…
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { chromium } from "playwright-core";

const [browserPath, link, ...paths] = process.argv.slice(2);
const origin = new URL(link).origin;
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const found = { violations: [], elsewhere: [], errors: [], pages: 0, without_script: "", live: "", narrow: {} };

// How long the browser is given for what must come, while others keep the machine busy.
const timeout = 120_000;
const browser = await chromium.launch({
  executablePath: browserPath,
  timeout,
  args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--disable-background-networking", "--disable-component-update"],
});

// The session's cookie is taken along: a link is good once.
let state;
const context = async (options) => {
  const made = await browser.newContext({ ...options, storageState: state, bypassCSP: false });
  made.setDefaultTimeout(timeout);
  made.on("request", (request) => {
    const url = request.url();
    if (!url.startsWith(origin) && !url.startsWith("data:")) found.elsewhere.push(url);
  });
  return made;
};

// What is wrong with the page's tables, drawings and boxes for times: a table or an axis that does not fit, a row that
// shows other columns than the titles do, a time that its box cuts off, a text that reaches beyond its drawing.
const cut = () => [
  ...[...document.querySelectorAll("input.moment")]
    .filter((box) => box.scrollWidth > box.clientWidth)
    .map((box) => `${box.id} cuts off ${box.value}`),
  ...[...document.querySelectorAll(".scroll:has(> svg.axis)")]
    .filter((box) => box.scrollWidth > box.clientWidth || box.clientHeight === 0)
    .map((box) => `${box.getAttribute("aria-label")} is ${box.scrollWidth} wide`),
  ...[...document.querySelectorAll("svg.axis text")]
    .filter((text) => text.getClientRects().length > 0)
    .filter((text) => text.getBBox().x + text.getBBox().width > text.ownerSVGElement.viewBox.baseVal.width)
    .map((text) => `the axis cuts off ${text.textContent}`),
  ...[...document.querySelectorAll(".scroll:has(> table)")].flatMap((box) => {
    const label = box.getAttribute("aria-label");
    const shown = (row) => [...row.children].map((cell) => cell.getClientRects().length > 0).join();
    const titles = shown(box.querySelector("thead tr"));
    const wrong = [...box.querySelectorAll("tbody tr")].filter((row) => shown(row) !== titles);
    const wide = box.scrollWidth > box.clientWidth ? [`${label} is ${box.scrollWidth} wide`] : [];
    return [...wide, ...wrong.map((row) => `${label} has ${row.textContent}`.slice(0, 200))];
  }),
];

// What single keys do, and that they can be turned off.
const keys = async (page) => {
  const press = async (...all) => {
    for (const key of all) await page.keyboard.press(key);
  };
  await page.goto(origin + "/console");
  await press("?");
  const help = page.getByRole("dialog", { name: "Keys" });
  const helps = await help.isVisible();
  await press("Escape");
  await help.waitFor({ state: "hidden" });
  await press("g", "j");
  await page.waitForURL("**/console/jobs");
  await press("j");
  const row = await page.evaluate(() => document.activeElement.closest("tbody tr") !== null);
  await press("Enter");
  await page.waitForURL("**/console/jobs/job_*");
  await press("c");
  const copied = await page.evaluate(() => getSelection().toString());
  await press("?");
  await page.getByLabel("Single keys work").uncheck();
  await page.getByRole("button", { name: "Close" }).click();
  await press("/", "g", "d");
  const off = await page.evaluate(() => document.activeElement.id !== "find" && location.pathname);
  await page.reload();
  return { helps, row, copied, off, kept: await page.locator("#single").isChecked() };
};

// Answers of the list of jobs from now on, as `change` changes them.
const changed = (page, change) =>
  page.route("**/console/jobs", async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, body: change(await response.text()) });
  });

// What becomes of a row that comes while a list is looked at.
const fresh = async (page) => {
  await page.goto(origin + "/console/jobs");
  await page.mouse.move(0, 0);
  const rows = page.locator("tbody tr");
  const before = await rows.count();
  await changed(page, (html) => html.replace("<tbody>", '<tbody><tr><td><a href="/console">job_new</a></td></tr>'));
  const link = page.locator("#rows h2 .fresh");
  await link.waitFor();
  const said = await link.textContent();
  const held = (await rows.count()) === before;
  await link.click();
  await page.getByRole("link", { name: "job_new" }).waitFor();
  return { said, held, loaded: (await rows.count()) === before + 1 };
};

// What the switch does with times, also after a reload and in what is refreshed.
const zone = async () => {
  const looks = await context({ timezoneId: "Asia/Dubai" });
  const page = await looks.newPage();
  await page.goto(origin + "/console/jobs");
  const button = page.locator("#zone");
  const seconds = () =>
    page.locator("tbody time").first().evaluate((time) => Date.parse(time.textContent.replace(" ", "T") + "Z") / 1000);
  const utc = await button.textContent();
  const before = await seconds();
  await button.click();
  const local = await button.textContent();
  const later = (await seconds()) - before;
  await page.reload();
  const reloaded = (await button.textContent()) === local && (await seconds()) === before + later;
  await changed(page, (html) => html.replaceAll("<time ", '<time data-later="" '));
  await page.locator("tbody time[data-later]").first().waitFor();
  const kept = reloaded && (await seconds()) === before + later;
  await button.click();
  const back = (await button.textContent()) === utc && (await seconds()) === before;
  await looks.close();
  return { utc, local, later, kept, back };
};

// Where the player of an item's page stands once the last word of its transcript was clicked, which leaves the page open.
const plays = async (page, path) => {
  await page.goto(origin + path);
  await page.locator("#said span[data-at]").last().click();
  return page.evaluate(() => ({ path: location.pathname, at: document.getElementById("media").currentTime }));
};

const first = await context({ javaScriptEnabled: false });
const door = await first.newPage();
await door.goto(link);
await door.getByRole("button", { name: "Sign in" }).click();
await door.getByRole("heading", { name: "Overview" }).waitFor();
state = await first.storageState();
// Filters, paging and the box that finds anything are forms and links.
await door.goto(origin + "/console/jobs");
await door.getByLabel("Status").selectOption("succeeded");
await door.getByRole("button", { name: "Show" }).click();
await door.waitForURL(/status=/);
found.without_script = new URL(door.url()).pathname + "?" + new URL(door.url()).searchParams.get("status");
await first.close();

for (const width of [1280, 390]) {
  const looks = await context({ viewport: { width, height: 900 } });
  const page = await looks.newPage();
  page.on("console", (message) => message.type() === "error" && found.errors.push(message.text()));
  page.on("pageerror", (error) => found.errors.push(String(error)));
  for (const path of paths) {
    await page.goto(origin + path);
    // A script's tag is refused by the page's policy; what the debugger evaluates is not.
    await page.evaluate(axe);
    for (const colorScheme of ["light", "dark"]) {
      await page.emulateMedia({ colorScheme });
      const { violations } = await page.evaluate(() => axe.run(document, { resultTypes: ["violations"], rules: { "target-size": { enabled: true } } }));
      for (const { id, nodes } of violations) {
        found.violations.push({ path, colorScheme, width, id, html: nodes[0].html.slice(0, 200) });
      }
      const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      if (overflow > 0) found.violations.push({ path, colorScheme, width, id: "scrolls sideways", html: String(overflow) });
      for (const html of await page.evaluate(cut)) found.violations.push({ path, colorScheme, width, id: "table", html });
      found.pages += 1;
    }
    if (width === 390) found.narrow[path] = await page.locator("main").innerText();
  }
  if (width === 1280) {
    await page.goto(origin + "/console");
    await page.keyboard.press("/");
    const focused = await page.evaluate(() => document.activeElement.id);
    await page.keyboard.press("Tab");
    await page.locator("#pause").click();
    found.live = focused + " " + (await page.locator("#live").textContent());
    found.keys = await keys(await looks.newPage());
    found.fresh = await fresh(await looks.newPage());
    found.zone = await zone();
    found.plays = await plays(await looks.newPage(), paths.find((path) => path.startsWith("/console/items/itm_")));
  }
  await looks.close();
}
await browser.close();
console.log(JSON.stringify(found));

// Looks at the customers' pages in a real browser: follows a one-time link, loads each page in light and dark, wide and
// narrow, with axe-core beside it, and adds an endpoint without script. Prints what was found as JSON.
//
// node portal_look.mjs BROWSER PICTURES LINK LINK_WITHOUT_SCRIPT RECEIVER PATH…
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { chromium } from "playwright-core";

const [browserPath, pictures, link, other, receiver, ...paths] = process.argv.slice(2);
const origin = new URL(link).origin;
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const found = { violations: [], elsewhere: [], errors: [], pages: 0, landed: "", added: "", pinged: "", narrow: {} };

// How long the browser is given for what must come, while others keep the machine busy.
const timeout = 120_000;
const browser = await chromium.launch({
  executablePath: browserPath,
  timeout,
  args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--disable-background-networking", "--disable-component-update"],
});

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

// What is wrong with the page's tables: one that does not fit, or a row that shows other columns than the titles do.
const cut = () =>
  [...document.querySelectorAll(".scroll:has(> table)")].flatMap((box) => {
    const label = box.getAttribute("aria-label");
    const shown = (row) => [...row.children].map((cell) => cell.getClientRects().length > 0).join();
    const titles = shown(box.querySelector("thead tr"));
    const wrong = [...box.querySelectorAll("tbody tr")].filter((row) => shown(row) !== titles);
    const wide = box.scrollWidth > box.clientWidth ? [`${label} is ${box.scrollWidth} wide`] : [];
    return [...wide, ...wrong.map((row) => `${label} has ${row.textContent}`.slice(0, 200))];
  });

// Without script: the link has a button, and everything is done by forms.
const plain = await context({ javaScriptEnabled: false });
const page = await plain.newPage();
await page.goto(other);
await page.getByRole("button", { name: "Continue" }).click();
await page.getByRole("heading", { name: "Webhooks" }).waitFor();
await page.getByLabel("Address (https)").fill(receiver);
await page.getByLabel("job.cancelled").uncheck();
await page.getByRole("button", { name: "Add", exact: true }).click();
await page.getByRole("heading", { name: receiver }).waitFor();
found.added = await page.locator("dl.facts").innerText();
await page.getByRole("button", { name: "Send a test event" }).click();
await page.locator("table", { hasText: "ping" }).waitFor();
found.pinged = await page.locator("table").innerText();
await plain.close();

// With script the link goes on by itself.
const first = await context({});
const door = await first.newPage();
await door.goto(link);
await door.waitForURL("**/portal/webhooks");
found.landed = new URL(door.url()).pathname;
state = await first.storageState();
await first.close();

for (const width of [1280, 390]) {
  const looks = await context({ viewport: { width, height: 900 } });
  const look = await looks.newPage();
  // A browser tells of a page that is not there, and of a refused filter, as of an error.
  const asked = { "/nowhere": "404", "=odd": "400" };
  const isAsked = (message) =>
    Object.entries(asked).some(([end, status]) => message.location().url.endsWith(end) && message.text().includes(status));
  look.on("console", (message) => message.type() === "error" && !isAsked(message) && found.errors.push(message.text()));
  look.on("pageerror", (error) => found.errors.push(String(error)));
  for (const path of paths) {
    await look.goto(origin + path);
    // A script's tag is refused by the page's policy; what the debugger evaluates is not.
    await look.evaluate(axe);
    const name = path.split("/").slice(2).map((part) => part.slice(0, 4)).join("-");
    for (const colorScheme of ["light", "dark"]) {
      await look.emulateMedia({ colorScheme });
      const { violations } = await look.evaluate(() => axe.run(document, { resultTypes: ["violations"], rules: { "target-size": { enabled: true } } }));
      for (const { id, nodes } of violations) {
        found.violations.push({ path, colorScheme, width, id, html: nodes[0].html.slice(0, 200) });
      }
      const overflow = await look.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      if (overflow > 0) found.violations.push({ path, colorScheme, width, id: "scrolls sideways", html: String(overflow) });
      for (const html of await look.evaluate(cut)) found.violations.push({ path, colorScheme, width, id: "table", html });
      await look.screenshot({ path: join(pictures, `${name}-${colorScheme}-${width}.png`), fullPage: true });
      found.pages += 1;
    }
    if (width === 390) found.narrow[path] = await look.locator("main").innerText();
  }
  await looks.close();
}
await browser.close();
console.log(JSON.stringify(found));

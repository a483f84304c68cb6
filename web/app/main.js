// @ts-check
// The page.

const main = document.querySelector("main");
if (main) main.textContent = "The best known kernel configuration of each problem, by device and generator.";

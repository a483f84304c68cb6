// @ts-check
// Several tests in one process. Arguments: the names of the scripts, then the path of a database
// for each.

import { several } from "./harness.js";

const words = process.argv.slice(2);
await several(words.slice(0, words.length / 2), words.slice(words.length / 2));

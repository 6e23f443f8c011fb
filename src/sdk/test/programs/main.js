/** Runs the calls in Bun, Deno or Node: `main.js ADDRESS-OF-THE-CLIENT JOB`, and prints how they ended. */
import { makeCalls } from './calls.js'

const [module, job] = globalThis.Deno ? globalThis.Deno.args : process.argv.slice(2)
console.log(JSON.stringify(await makeCalls(await import(module), JSON.parse(job))))

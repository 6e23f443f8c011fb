/** Too much waits already, so nothing was done. The same can be tried again in a few seconds. */
export class TooBusy extends Error {
  override name = 'TooBusy'
}

/**
 * What each program of `programs.test.ts` does, in any runtime and in a browser: calls of every kind at once, through a proxy
 * that meets them with faults. It says of each call how it ended.
 */

/** The kinds of calls, in turn; each names how it must end. */
const KINDS = [
  {
    ends: 'answered',
    make: (client, options) => client.listProjects({ sector: ['DeFi'] }, options),
  },
  { ends: 'answered', make: (client, options) => client.getPerson('ada-ashford', {}, options) },
  {
    ends: 'answered',
    make: (client, options) => client.getPerson('ben-birch', { include: 'private' }, options),
  },
  { ends: 'not_found', make: (client, options) => client.getInvestor('aurora-protocol', options) },
  { ends: 'answered', make: (client, options) => client.search({ q: 'aurora' }, options) },
  {
    ends: 'invalid_parameter',
    make: (client, options) => client.listPeople({ sort: 'age' }, options),
  },
  { ends: 'answered', make: (client, options) => client.getAccount(options) },
]

/** Errors of a call that has given up. A slow machine answers late, and so often that the client's repeats end. */
const GIVEN_UP = ['no_answer', 'timed_out', 'unexpected_answer', 'internal_error', 'unavailable']
/** How long an answer is awaited that never comes. */
const SILENCE_MS = 8_000
/** How often such a call is gone on with, by its key, as the error's message says. */
const MOST_GOES = 3

/**
 * @param sdk the client's module
 * @param job for each account a key, and how many calls are made with it, all at once; one account at a time on each of `urls`
 * @returns for each call its ids, how it ended and should have, and what it says of its charge
 */
export async function makeCalls(sdk, { urls, keys, calls, ...patience }) {
  const ends = []
  const left = [...keys]
  await Promise.all(
    urls.map(async (url) => {
      for (let key = left.shift(); key !== undefined; key = left.shift()) {
        ends.push(...(await callsOfAccount(sdk, { url, key, calls, ...patience })))
      }
    }),
  )
  return ends
}

function callsOfAccount({ Chainkin, isChainkinError }, { url, key, calls, pace, silentPath }) {
  const options = {
    ...{ key, retries: 5, maxWaitMs: 600_000 },
    sleep: (milliseconds) => new Promise((done) => setTimeout(done, milliseconds * pace)),
  }
  const patient = new Chainkin({ ...options, url, timeoutMs: 60_000 })
  const impatient = new Chainkin({ ...options, url: url + silentPath, timeoutMs: SILENCE_MS })
  const endOf = async ({ ends: expected, make }, client) => {
    const ids = []
    let isKnown = true
    let idempotencyKey
    for (let goes = 1; ; goes++) {
      try {
        const { call } = await make(client, { idempotencyKey })
        ids.push(idOf(call))
        return { ids, end: 'answered', expected, charged: isKnown ? call.charged : null }
      } catch (error) {
        if (!isChainkinError(error)) {
          return { ids, end: `untyped: ${error}`, expected, charged: null }
        }
        ids.push(idOf(error))
        const { code: end, charged } = error
        if (charged === null) isKnown = false
        if (goes === MOST_GOES || !GIVEN_UP.includes(end)) return { ids, end, expected, charged }
        idempotencyKey = error.idempotencyKey ?? undefined
      }
    }
  }
  return Promise.all(
    Array.from({ length: calls }, (_, n) => {
      const isSilent = silentPath !== '' && n % 10 === 9
      return endOf(KINDS[n % KINDS.length], isSilent ? impatient : patient)
    }),
  )
}

const idOf = ({ requestId }) => requestId?.split('.')[0] ?? ''

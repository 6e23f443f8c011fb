/**
 * What each program of `programs.test.ts` does, in any runtime and in a browser: calls of every kind at once, through a proxy
 * that meets them with faults. It says of each call how it ended.
 */

/** The kinds of calls, in turn; each names how it must end. */
const KINDS = [
  { ends: 'answered', make: (client) => client.listProjects({ sector: ['DeFi'] }) },
  { ends: 'answered', make: (client) => client.getPerson('ada-ashford') },
  { ends: 'answered', make: (client) => client.getPerson('ben-birch', { include: 'private' }) },
  { ends: 'not_found', make: (client) => client.getInvestor('aurora-protocol') },
  { ends: 'answered', make: (client) => client.search({ q: 'aurora' }) },
  { ends: 'invalid_parameter', make: (client) => client.listPeople({ sort: 'age' }) },
  { ends: 'answered', make: (client) => client.getAccount() },
]

/**
 * @param sdk the client's module
 * @param job `url`, and for each account a key and how many calls are made with it, all at once
 * @returns for each call its id, how it ended and should have, and what it says of its charge
 */
export async function makeCalls(
  { Chainkin, isChainkinError },
  { url, keys, calls, pace, timeoutMs },
) {
  const ends = []
  for (const key of keys) {
    const client = new Chainkin({
      ...{ url, key, retries: 5, timeoutMs, maxWaitMs: 600_000 },
      sleep: (milliseconds) => new Promise((done) => setTimeout(done, milliseconds * pace)),
    })
    await Promise.all(
      Array.from({ length: calls }, async (_, n) => {
        const { ends: expected, make } = KINDS[n % KINDS.length]
        try {
          const { call } = await make(client)
          ends.push({ id: idOf(call), end: 'answered', expected, charged: call.charged })
        } catch (error) {
          const isTyped = isChainkinError(error)
          const end = isTyped ? error.code : `untyped: ${error}`
          ends.push({ id: isTyped ? idOf(error) : '', end, expected, charged: error.charged })
        }
      }),
    )
  }
  return ends
}

const idOf = ({ requestId }) => requestId?.split('.')[0] ?? ''

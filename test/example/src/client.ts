/** A small client: what it knows of the API is that money is at stake, and that a 429 or 5xx may be tried again. */

export class ApiError extends Error {
  override name = 'ApiError'

  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    /** Of a 402: what the call costs, and what is there. */
    readonly credits?: { required: number; balance: number },
  ) {
    super(message)
  }
}

/** The answer was invented, because the free account has too few credits. */
export class SampleError extends Error {
  override name = 'SampleError'
}

export interface ClientOptions {
  url: string
  key: string
  /** Of the platform unless said otherwise. */
  fetch?: (request: Request) => Promise<Response>
  sleep?: (seconds: number) => Promise<unknown>
}

export interface Person {
  id: string
  firstName: string | null
  lastName: string | null
  isLocked: boolean
  email: string | null
}

const MOST_TRIES = 3

export class Client {
  readonly #options: Required<ClientOptions>

  constructor(options: ClientOptions) {
    this.#options = {
      fetch: (request) => fetch(request),
      sleep: (seconds) => new Promise((resolve) => setTimeout(resolve, seconds * 1_000)),
      ...options,
    }
  }

  async balance(): Promise<number> {
    const { creditsBalance } = await this.#get<{ creditsBalance: number }>('/v1/me')
    return creditsBalance
  }

  async person(id: string): Promise<Person> {
    const { data } = await this.#get<{ data: { person: Person } }>(`/v1/people/${id}`)
    return data.person
  }

  /** Costs 10 credits the first time, 5 from then on. */
  async reveal(id: string): Promise<Person> {
    const path = `/v1/people/${id}?include=private`
    const { data } = await this.#get<{ data: { person: Person } }>(path)
    return data.person
  }

  async #get<Body>(path: string): Promise<Body> {
    const { url, key, fetch, sleep } = this.#options
    // The same key each time: a call that was charged and never heard of is not charged again.
    const headers = { authorization: `Bearer ${key}`, 'idempotency-key': crypto.randomUUID() }
    for (let tries = 1; ; tries++) {
      const response = await fetch(new Request(url + path, { headers }))
      const body = await response.json()
      if (response.ok) {
        if (response.headers.get('service-sample')) throw new SampleError(body.notice)
        return body
      }
      const passes = response.status === 429 || response.status >= 500
      if (!passes || tries === MOST_TRIES) throw errorOf(response.status, body.error)
      await sleep(Number(response.headers.get('retry-after') ?? 1))
    }
  }
}

interface ErrorBody {
  code: string
  message: string
  creditsRequired?: number
  creditsBalance?: number
}

function errorOf(status: number, error: ErrorBody): ApiError {
  const { code, message, creditsRequired: required, creditsBalance: balance } = error
  const credits =
    required === undefined || balance === undefined ? undefined : { required, balance }
  return new ApiError(status, code, message, credits)
}

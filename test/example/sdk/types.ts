// Compiled, not run, by TypeScript 5.4 with its declarations checked: what a program in an older project writes.
import {
  type Answer,
  Chainkin,
  type ChainkinErrorCode,
  isChainkinError,
  type Person,
  type Project,
} from 'chainkin/sdk'

export async function live(key: string, signal: AbortSignal): Promise<string[]> {
  const chainkin = new Chainkin({ url: 'https://api.example', key, maxCredits: 500 })
  const people: Person[] = []
  for await (const person of chainkin.records('listPeople', { roles: ['founder'] }, { signal })) {
    people.push(person)
  }
  const answer: Answer<'getProject'> = await chainkin.getProject('aurora', { signal })
  const project: Project = answer.project
  // @ts-expect-error: there is no such order
  await chainkin.listPeople({ sort: 'age' })
  // @ts-expect-error: `q` is required
  await chainkin.search({})
  // @ts-expect-error: live data has no notice
  answer.notice
  return [project.name, ...people.map(({ firstName, lastName }) => `${firstName} ${lastName}`)]
}

export async function sampled(key: string): Promise<string> {
  const chainkin = new Chainkin({ url: 'https://api.example', key, samples: 'allow' })
  const answer = await chainkin.getPerson('ada', { include: 'private' })
  if (answer.sample) return `${answer.notice} ${answer.meta.creditsRequired}`
  const charged: number = answer.meta.creditsCharged
  return `${answer.data.person.email} ${charged} ${answer.call.rate?.remaining}`
}

export function cure(error: unknown): string | number {
  if (!isChainkinError(error)) throw error
  const code: ChainkinErrorCode = error.code
  switch (error.code) {
    case 'insufficient_credits':
      return error.creditsRequired - error.creditsBalance
    case 'rate_limited':
      return error.retryAfter
    case 'invalid_parameter':
      return error.parameter
    default:
      return error.charged === null ? `${code}: look into the ledger` : code
  }
}

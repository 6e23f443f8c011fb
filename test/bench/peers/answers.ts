/** What a peer answers, looked at before it is measured: the members, and how large the bodies are. */
import type { LoadRequest } from '../http-load.ts'

export interface Answers {
  /** Paths of the members that any of the answers has, such as `people[].company.id`. */
  members: ReadonlySet<string>
  meanBytes: number
}

/** Of each kind of request. */
const ASKED = 200

/** @throws where an answer is no 200: a peer that refuses would be fast. */
export async function lookAtAnswers(
  base: string,
  requests: readonly LoadRequest[],
): Promise<Answers> {
  const members = new Set<string>()
  const asked = requests.slice(0, ASKED)
  let bytes = 0
  for (const { path, headers } of asked) {
    const response = await fetch(base + path, { headers })
    const text = await response.text()
    if (response.status !== 200) throw new Error(`${base}${path}: ${response.status} ${text}`)
    bytes += Buffer.byteLength(text)
    collect(JSON.parse(text), '', members)
  }
  return { members, meanBytes: Math.round(bytes / asked.length) }
}

function collect(value: unknown, path: string, members: Set<string>) {
  if (Array.isArray(value)) {
    for (const one of value) collect(one, `${path}[]`, members)
  } else if (value !== null && typeof value === 'object') {
    for (const [name, member] of Object.entries(value)) collect(member, `${path}.${name}`, members)
  } else {
    members.add(path)
  }
}

/** @returns what the first has and the second lacks, and the other way round; '' where they agree. */
export function difference(ours: Answers, theirs: Answers): string {
  const lacking = [...ours.members].filter((path) => !theirs.members.has(path))
  const more = [...theirs.members].filter((path) => !ours.members.has(path))
  return [...lacking.map((path) => `-${path}`), ...more.map((path) => `+${path}`)].join(' ')
}

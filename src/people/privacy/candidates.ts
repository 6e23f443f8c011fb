/** Candidates: people in the directory that a privacy request may be about. */
import type { Database } from '../../database/client.ts'
import { withAsciiHost } from '../../directory/email-address.ts'

/** Somebody of the directory whom a request may be about. */
export interface Candidate {
  id: string
  slug: string | null
  name: string
  company: string | null
  /** Parts of the request that lead to them: the person's description, or the sender's address. */
  foundBy: ('page' | 'handle' | 'profile' | 'name' | 'email')[]
  /** True if the request's address is the one on file; null where none is on file. */
  isEmailOnFile: boolean | null
}

/** Namesakes that are listed, at most. */
const MAX_CANDIDATES = 50

/**
 * Finds candidates. Channels are compared inside the database and never leave it. @param person description of the person in the
 * request
 */
export async function candidatesFor(
  database: Database,
  { person, email }: { person: string | null; email: string | null },
): Promise<Candidate[]> {
  const { page, handle, profile } = namedBy(person ?? '')
  const address = email && withAsciiHost(email)
  return database.use(
    ({ sql }) => sql<Candidate[]>`
      select p.id, p.slug, concat_ws(' ', p.first_name, p.last_name) as name, c.name as company,
             to_json(f.ways) as "foundBy", lower(h.email) = ${address} as "isEmailOnFile"
        from people p
        left join private_channels h on h.person_id = p.id
        left join companies c on c.id = p.company_id
       cross join lateral (select array_remove(array[
         case when lower(${page}) in (p.id::text, p.slug) or p.external_id = ${page} or exists (
                select from redirects m
                 where m.to_id = p.id and (lower(${page}) in (m.id::text, m.slug) or m.external_id = ${page}))
              then 'page' end,
         case when lower(p.twitter_handle) = lower(${handle}) then 'handle' end,
         case when lower(substring(h.linkedin_url from '/in/([^/?#]+)')) = lower(${profile}) then 'profile' end,
         case when folded_name(p.first_name, p.last_name) = folded(${person}) then 'name' end,
         case when lower(h.email) = ${address} then 'email' end], null) as ways) f
       where cardinality(f.ways) > 0
       order by f.ways[1] = 'page' desc, 'email' = any (f.ways) desc, p.id
       limit ${MAX_CANDIDATES}::integer`,
    { deadlineMs: 30_000 },
  )
}

/** Identifiers in a request's text, beside names: an address of a page here, an X handle, a LinkedIn profile. */
function namedBy(person: string) {
  const part = (pattern: RegExp) => pattern.exec(person)?.[1] ?? null
  const page = part(/\/people\/([^/?#\s]+)/) ?? person
  const handle = part(/(?:^@|\b(?:x|twitter)\.com\/@?)(\w{1,15})\b/i)
  const profile = part(/linkedin\.com\/in\/([^/?#\s]+)/i)
  return { page, handle, profile }
}

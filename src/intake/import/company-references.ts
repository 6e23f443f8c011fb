/** References to companies in rows: by id, externalId, slug, domain, or a name that one company alone has. */
import type { Connection } from '../../database/client.ts'
import { isUuid } from '../../database/uuid.ts'
import { addresseeOf } from '../../directory/addressee.ts'
import { InvalidValue } from './fields/values.ts'
import type { CleanRow, CompanyId } from './schema.ts'
import type { Reason } from './summary.ts'

/** A company that a reference may mean. */
interface Candidate {
  reference: string
  id: string
  /** The kind of match; several companies may match by domain or name. */
  by: 'key' | 'domain' | 'name'
  /** `Acme (slug acme)`. */
  label: string
  /** Number of companies that match; at most two of them are candidates. */
  count: number
}

/** Companies that a batch refers to. */
class NamedCompanies {
  readonly #found: Map<string, Candidate[]>

  constructor(candidates: Iterable<Candidate>) {
    this.#found = Map.groupBy(candidates, ({ reference }) => reference)
  }

  /** The id of the one company that a reference means. */
  find(reference: string): string | undefined {
    const [first, ...others] = this.#found.get(reference) ?? []
    return others.length === 0 ? first?.id : undefined
  }

  /** Resolves a reference. @throws InvalidValue, for the sake of `field`, where it means none or several. */
  readonly idOf: CompanyId = (reference, field) => {
    const id = this.find(reference)
    if (id !== undefined) return id
    const several = this.#found.get(reference)
    const { reason, alike } = several ? meaningSeveral(several) : NO_COMPANY
    throw new InvalidValue(reason, { field, part: reference, alike })
  }
}

const NO_COMPANY: Reason = {
  reason: 'no such company: none has this id, externalId, slug, domain or name',
}

function meaningSeveral(candidates: readonly Candidate[]): Reason {
  const { count = 0, by = 'name' } = candidates[0] ?? {}
  const labels = candidates.map(({ label }) => label).join(' and ')
  const more = count > candidates.length ? ` and ${count - candidates.length} more` : ''
  return {
    reason: `several companies have this ${by}: ${labels}${more}; give the slug or id of one`,
    alike: `several companies have this ${by}`,
  }
}

/**
 * Selects the candidates of references; $1 is JSON `[{"reference", "id", "domain"}]`. Keys come first, of merged records
 * after those of all others; only references without a key are looked up by domain, then by name. `offset 0` makes
 * PostgreSQL use the index of folded names instead of folding the names of all companies.
 */
const FIND = `
with asked as materialized (
  select * from jsonb_to_recordset($1::text::jsonb) a(reference text, id uuid, domain text)
), keyed as materialized (
  select distinct on (f.reference) f.reference, f.id
    from (select a.reference, c.id, 1 as place from asked a join companies c on c.id = a.id
          union all
          select a.reference, c.id, 2 from asked a join companies c on c.external_id = a.reference
          union all
          select a.reference, c.id, 3 from asked a join companies c on c.slug = a.reference
          union all
          select m.reference, c.id, 4
            from (select a.reference, r.* from asked a join redirects r on r.id = a.id
                  union all
                  select a.reference, r.* from asked a join redirects r on r.external_id = a.reference
                  union all
                  select a.reference, r.* from asked a join redirects r on r.slug = a.reference) m
            join companies c on m.kind = 'company' and c.id = m.to_id) f
   order by f.reference, f.place
), unkeyed as materialized (
  select a.*, folded_name(a.reference) as folded
    from asked a where a.reference not in (select reference from keyed)
), hosted as materialized (
  select u.reference, c.id, 'domain' as by, c.name, c.slug from unkeyed u join companies c on c.domain = u.domain
), named as materialized (
  select u.reference, c.id, 'name' as by, c.name, c.slug
    from (select * from unkeyed where reference not in (select reference from hosted)) u
    join lateral (select * from companies r where folded_name(r.name) = u.folded offset 0) c on true
), counted as (
  select *, count(*) over (partition by reference) as count,
         row_number() over (partition by reference order by slug) as place
    from (select * from hosted union all select * from named) f
)
select reference, id, 'key' as by, '' as label, 1 as count from keyed
union all
select reference, id, by, name || ' (slug ' || slug || ')', count::int from counted where place <= 2`

/** Finds the companies that the rows name, in one statement. */
export async function companiesNamed(
  { sql }: Connection,
  batch: readonly CleanRow[],
): Promise<NamedCompanies> {
  const references = new Set(
    batch.flatMap(({ values: { company, investors = [] } }) => [
      ...(company ? [company] : []),
      ...investors.map(({ investor }) => investor),
    ]),
  )
  if (references.size === 0) return new NamedCompanies([])
  const asked = [...references].map((reference) => ({
    reference,
    id: isUuid(reference) ? reference : null,
    domain: domainIn(reference),
  }))
  return new NamedCompanies(await sql.unsafe<Candidate[]>(FIND, [JSON.stringify(asked)]))
}

/** Sites where many companies have pages, so that their domain identifies none. */
const SHARED_SITES = new Set(
  'linkedin.com x.com twitter.com github.com gitlab.com medium.com t.me telegram.me discord.gg discord.com facebook.com instagram.com youtube.com linktr.ee google.com crunchbase.com bitcointalk.org coinmarketcap.com coingecko.com defillama.com'.split(
    ' ',
  ),
)

/** The domain of a reference, also of an address; null for a page of a shared site. */
function domainIn(reference: string): string | null {
  const addressee = addresseeOf(reference)
  if (addressee?.kind !== 'domain') return null
  const isPage = /^(?:[a-z]+:)?(?:\/\/)?[^/?#]+[/?#]+[^/?#]/i.test(reference)
  return isPage && SHARED_SITES.has(addressee.domain) ? null : addressee.host
}

/** JSON-LD of profiles in schema.org terms. Contains what everybody sees: neither private channels nor which are on file. */
import type { LinkedData, Site } from '../http/page.ts'
import type { CompanyProfile, PersonProfile } from './profiles.ts'
import { companyPath, nameOf, personPath } from './view-models.ts'

const FUNDERS_MAX = 10

export function companyData(
  { company, funding, investorPaths }: CompanyProfile,
  site: Site,
): LinkedData {
  const funders = new Map(
    funding.rounds.flatMap(({ investors }) =>
      investors.map(({ id, name }) => [id, { name, path: investorPaths.get(id) }] as const),
    ),
  )
  return {
    '@context': 'https://schema.org',
    '@type': 'Organization',
    name: company.name,
    url: site.appUrl + companyPath(company),
    description: company.aiSummary ?? undefined,
    sameAs: addresses([
      company.domain && `https://${company.domain}`,
      xAddress(company.twitterHandle),
      company.linkedinUrl,
    ]),
    funder: listed(
      [...funders.values()].slice(0, FUNDERS_MAX).map(({ name, path }) => ({
        '@type': 'Organization',
        name,
        url: path && site.appUrl + path,
      })),
    ),
  }
}

export function personData({ person }: PersonProfile, site: Site): LinkedData {
  const { company } = person
  return {
    '@context': 'https://schema.org',
    '@type': 'Person',
    name: nameOf(person),
    url: site.appUrl + personPath(person),
    jobTitle: person.jobTitle ?? undefined,
    worksFor: company
      ? { '@type': 'Organization', name: company.name, url: site.appUrl + companyPath(company) }
      : undefined,
    sameAs: addresses([xAddress(person.twitterHandle)]),
  }
}

const xAddress = (handle: string | null) => handle && `https://x.com/${encodeURIComponent(handle)}`

/** Keeps http and https URLs: records may contain anything. */
function addresses(all: readonly (string | null)[]): string[] | undefined {
  return listed(
    all.flatMap((address) => (address && /^https?:$/.test(protocolOf(address)) ? [address] : [])),
  )
}

const protocolOf = (address: string) => (URL.canParse(address) ? new URL(address).protocol : '')

/** Leaves out empty lists, as schema.org expects. */
const listed = <T>(values: T[]) => (values.length > 0 ? values : undefined)

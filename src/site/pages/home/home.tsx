/** @jsxImportSource hono/jsx */
/** `/`: what is in the directory just now, for whoever looks for the first time, and what it is for programs. */
import { CALL_CREDITS, ENDPOINTS, REVEAL_CREDITS } from '../../../contract/endpoints.ts'
import { PLANS, TOP_UPS } from '../../../contract/tiers.ts'
import type { Directory } from '../../../directory/records/directory.ts'
import { exampleValues, queryFor } from '../../docs/example-values.ts'
import { FirstCall } from '../../docs/examples.tsx'
import type { Page, PageContext } from '../../http/page.ts'
import { nameOf, personRecord } from '../../profiles/view-models.ts'
import { Section } from '../../ui/page-parts.tsx'
import { figure, humanize, plural, wordList } from '../../ui/text.tsx'
import { fundsBlock, groupsBlock, newestBlock, peopleBlock, projectsBlock } from './blocks.tsx'
import { type Heads, headsOf } from './heads.ts'

export async function homePage(context: PageContext): Promise<Page> {
  const { site, directory } = context
  const { counts } = directory
  const heads = await headsOf(directory)
  const examples = examplesOf(heads)
  const isEmpty = counts.people + counts.companies === 0
  return {
    title: site.serviceName,
    description:
      'A directory of the people of crypto: founders, operators and allocators, where they work, and how to reach them.',
    canonical: '/',
    shape: 'wide',
    main: (
      <>
        <Hero context={context} counts={counts} examples={examples} />
        {isEmpty ? <Empty context={context} /> : null}
        {projectsBlock(context, heads.projects)}
        <div class="heads">
          {peopleBlock(context, heads.people)}
          {fundsBlock(context, heads.funds)}
          {newestBlock(context, heads.newest)}
          {groupsBlock(context, heads.groups)}
        </div>
        {isEmpty ? null : <Missing heads={heads} rounds={counts.rounds} />}
        <Programs context={context} />
        <Prices context={context} />
      </>
    ),
  }
}

/** Three searches that find something: a company, a fund and a person, as far as there are names to look for. */
function examplesOf({ projects, funds, people }: Heads): string[] {
  const isExample = (name: string) => queryFor(name) === name
  const named = people.records
    .map(personRecord)
    .filter(({ firstName, lastName }) => firstName || lastName)
  const names = [
    projects.records.map(({ name }) => name).find(isExample),
    funds.records.map(({ name }) => name).find(isExample),
    named.map(nameOf).find(isExample),
  ]
  return [...new Set(names.filter((name) => name !== undefined))]
}

interface HeroProps {
  context: PageContext
  counts: Directory['counts']
  examples: readonly string[]
}

function Hero({ context: { href }, counts, examples }: HeroProps) {
  const { people, companies, rounds } = counts
  return (
    <section class="hero">
      <h1>The people of crypto, and how to reach them</h1>
      <p class="lead">
        Founders, operators and allocators, and the projects, funds and service providers they
        belong to. Browse them here. <a href={href('/sign-up')}>Create an account</a> to reach them,
        and to build on the API.
      </p>
      <form class="filters" action={href('/search')}>
        <div class="field grows">
          <label for="home-q" class="unseen">
            Search people and companies
          </label>
          <input
            id="home-q"
            type="search"
            name="q"
            maxlength={200}
            placeholder="Name, ticker, handle, job title"
          />
        </div>
        <button class="button" type="submit">
          Search
        </button>
      </form>
      {examples.length > 0 ? (
        <p class="note">
          Try{' '}
          {examples.map((q, i) => (
            <>
              {i > 0 ? ' · ' : null}
              <a href={`${href('/search')}?${new URLSearchParams({ q })}`}>{q}</a>
            </>
          ))}
        </p>
      ) : null}
      <p class="note">
        {plural(people, 'person', 'people')}, {plural(companies, 'company', 'companies')} and{' '}
        {plural(rounds, 'funding round', 'funding rounds')} on record. Or browse{' '}
        <a href={href('/people')}>people</a>, <a href={href('/projects')}>projects</a>,{' '}
        <a href={href('/investors')}>investors</a> and <a href={href('/services')}>services</a>.
      </p>
    </section>
  )
}

interface PartProps {
  context: PageContext
}

function Empty({ context: { href } }: PartProps) {
  return (
    <div class="empty">
      <p>
        Nothing is in the directory yet. Whoever runs this service{' '}
        <a href={href('/docs/import')}>imports records from files</a>, or looks around among
        invented ones: <code>chainkin demo</code>.
      </p>
    </div>
  )
}

/** What of the directory a reader may look for in vain. */
function Missing({ heads, rounds }: { heads: Heads; rounds: number }) {
  const missing = Object.entries({
    people: heads.people.records.length === 0,
    projects: heads.projects.records.length === 0,
    funds: heads.funds.records.length === 0,
    'funding rounds': rounds === 0,
    sectors: heads.projects.records.length > 0 && heads.groups.facet !== 'sector',
  }).flatMap(([what, isMissing]) => (isMissing ? [what] : []))
  if (missing.length === 0) return null
  return <p class="note">Not in this directory yet: {wordList(missing, missing.length)}.</p>
}

function Programs({ context: { site, href, directory } }: PartProps) {
  return (
    <Section id="programs" title="For programs">
      <p>
        The same records, as JSON: {CALL_CREDITS} credits a call, {REVEAL_CREDITS} for the first
        reveal of a contact, nothing for errors, and the price in every answer.
      </p>
      <FirstCall baseUrl={site.baseUrl} examples={exampleValues(directory)} />
      <p>
        <a href={href('/sign-up')}>Create an account</a> for a key and trial credits, and read{' '}
        <a href={href('/docs')}>the documentation</a>.{' '}
        <code class="unbroken">GET {ENDPOINTS.me.path}</code> shows your plan, balance and prices,
        and is free.
      </p>
    </Section>
  )
}

function Prices({ context: { href } }: PartProps) {
  const priced = Object.entries(PLANS).flatMap(([name, { usdPerMonth }]) =>
    usdPerMonth === null ? [] : [`${humanize(name)} $${figure(usdPerMonth)}`],
  )
  const least = Math.min(...Object.values(TOP_UPS).map(({ usd }) => usd))
  return (
    <p>
      Plans a month: {wordList(priced, priced.length)}; credits once from ${figure(least)}.{' '}
      <a href={href('/credits')}>Compare plans</a>
    </p>
  )
}

/** @jsxImportSource hono/jsx */
/** `/`: what the service is, for people who search, developers and buyers. */
import { CALL_CREDITS, ENDPOINTS, REVEAL_CREDITS } from '../../contract/endpoints.ts'
import { Code, Curl } from '../components/page-parts.tsx'
import { plural } from '../components/text.tsx'
import type { Child } from '../http/html.ts'
import type { Page, PageContext } from '../http/page.ts'

export function homePage({ site, href, directory }: PageContext): Page {
  const { people, companies, rounds } = directory.counts
  return {
    title: site.serviceName,
    description:
      'A directory of the people of crypto: founders, operators and allocators, where they work, and how to reach them.',
    canonical: '/',
    shape: 'wide',
    main: (
      <>
        <section class="hero">
          <h1>The people of crypto, and how to reach them</h1>
          <p class="lead">
            {site.serviceName} is a directory of founders, operators and allocators, and of the
            projects, funds and service providers they belong to. Browse it here, or build on its
            API.
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
                placeholder="A name, a ticker, a handle, a job title"
              />
            </div>
            <button class="button" type="submit">
              Search
            </button>
          </form>
          <p class="note">
            {plural(people, 'person', 'people')}, {plural(companies, 'company', 'companies')} and{' '}
            {plural(rounds, 'funding round', 'funding rounds')} on record. Or browse{' '}
            <a href={href('/people')}>people</a>, <a href={href('/projects')}>projects</a>,{' '}
            <a href={href('/investors')}>investors</a> and <a href={href('/services')}>services</a>.
          </p>
        </section>
        <div class="trio">
          <Card title="Find people" href={href('/people')} link="Open the directory">
            Search by name, handle or title, filter by role, and see which channels are on file
            before you pay for any. All you need is a browser.
          </Card>
          <Card title="Build on the API" href={href('/sign-up')} link="Get an API key">
            A read-only JSON API, described by OpenAPI. {CALL_CREDITS} credits a call,{' '}
            {REVEAL_CREDITS} for the first reveal of a contact, nothing for errors, and the price in
            every answer.
          </Card>
          <Card title="Pay for what you use" href={href('/credits')} link="View plans">
            Every credit has its line in the ledger, a retry does not cost twice, and a misspelt
            filter costs nothing.
          </Card>
        </div>
        <section class="text" aria-labelledby="first-call">
          <h2 id="first-call">Your first call</h2>
          <Curl url={`${site.baseUrl}${ENDPOINTS.search.path}?q=capital&limit=3`} />
          <Code
            text={`{ "q": "capital", "limit": 3, "projects": […], "people": […],\n  "meta": { "creditsCharged": ${CALL_CREDITS}, "creditsBalance": 245 } }`}
          />
          <p>
            <a href={href('/sign-up')}>Create an account</a> for a key and trial credits. What your
            key is, and what is left on the account, costs nothing to ask:{' '}
            <code>GET {ENDPOINTS.me.path}</code>.
          </p>
        </section>
      </>
    ),
  }
}

interface CardProps {
  title: string
  href: string
  link: string
  children?: Child
}

function Card({ title, href, link, children }: CardProps) {
  return (
    <section class="card">
      <h2>{title}</h2>
      <p>{children}</p>
      <p>
        <a href={href}>{link}</a>
      </p>
    </section>
  )
}

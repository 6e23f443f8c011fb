/** @jsxImportSource hono/jsx */
/** `/docs/mcp`: the API as tools of a language model, from the tables that the server of the protocol reads. */
import { ENDPOINTS } from '../../contract/endpoints.ts'
import { DEFAULT_LIMIT } from '../../mcp/inputs.ts'
import { BALANCE_TOOL, creditsOf, REVEAL_TOOL, VALUES_TOOL } from '../../mcp/prices.ts'
import { READING_TOOLS } from '../../mcp/tools.ts'
import { Code, numbers, Section, Table } from '../ui/page-parts.tsx'
import { type Document, Unsearched } from './document.tsx'
import { Install } from './install.tsx'
import { creditsText } from './price-words.ts'

/** As programs that use a model are told of it. */
const settingsOf = (url: string) => `{
  "mcpServers": {
    "chainkin": {
      "command": "npx",
      "args": ["chainkin", "mcp", "--max-credits", "200"],
      "env": {
        "CHAINKIN_URL": "${url}",
        "CHAINKIN_KEY": "ck_live_…"
      }
    }
  }
}`

const TOOLS = [
  { name: BALANCE_TOOL, title: 'Credits and prices' },
  { name: VALUES_TOOL, title: 'Values that filters take, with counts' },
  ...READING_TOOLS,
  { name: REVEAL_TOOL, title: 'Private channels of one person, after a question' },
]

/** What a model may do, and what keeps it from spending too much. */
export const modelContext: Document = {
  path: '/docs/mcp',
  title: 'Language models (MCP)',
  lead: 'Programs with a language model use the API as tools: it searches, reads and compares, and asks before it reveals.',
  body: ({ site, href }) => (
    <>
      <Section id="start" title="Start">
        <p>
          Claude, Cursor, VS Code and other programs that speak the Model Context Protocol start the
          server by themselves, with an entry like this in their settings:
        </p>
        <Unsearched>
          <Code text={settingsOf(site.baseUrl)} language="json" />
        </Unsearched>
        <p>They find the command once it is installed:</p>
        <Install part="command" />
        <p>
          The key is one of <a href={href('/keys')}>yours</a>; calls are billed to its account. Give
          it the scope <code>read:contacts</code> only if the model may reveal. The single binary
          needs neither Node nor npm: put its path as the <code>command</code>, and leave{' '}
          <code>"chainkin"</code> out of <code>args</code>.
        </p>
      </Section>
      <Section id="tools" title="Tools and prices">
        <Unsearched>
          <Table
            label="Tools"
            isCards
            columns={[
              'Tool',
              { label: 'What it answers', card: 'line' },
              numbers('Credits', 'unit'),
            ]}
            rows={TOOLS.map(({ name, title }) => [
              <code>{name}</code>,
              title,
              name === REVEAL_TOOL ? creditsText(ENDPOINTS.person) : creditsOf(name),
            ])}
          />
        </Unsearched>
        <p>
          Answers have the fields that <a href={href('/docs/records')}>records</a> have in the API,
          as structured content and as text. Records are brief: what is null or empty is left out,
          and so is what a model seldom needs. The argument <code>fields</code> adds fields by name;{' '}
          <code>all</code> gives the API's whole answer. Lists have {DEFAULT_LIMIT} records where
          the model asks for no other number, teams and portfolios come in pages of 100. An answer
          without <code>fields</code> has at most about 6,000 tokens. Prices and pages of this
          documentation are resources, for nothing.
        </p>
      </Section>
      <Section id="spending" title="What it may spend">
        <ul>
          <li>
            <code class="unbroken">--max-credits</code> is the most that a session may spend. The
            call that could cost more is not sent, and the model is told to stop. Over stdin and
            stdout a session is one process: where your program starts one for each call, the limit
            binds each call alone. The limit that holds everywhere is a{' '}
            <a href={href('/keys')}>cap of the key</a> on the credits of a day or month.
          </li>
          <li>
            <code>{REVEAL_TOOL}</code> asks you first, with the person's name and the price, where
            your program can show a question (elicitation). The model can't answer in your place.
          </li>
          <li>
            Elsewhere it answers the price and a confirmation for ten minutes, and the model is told
            to ask you before it sends that back. <strong>Nothing forces it to ask</strong>: a model
            that is mistaken, or misled by a text that it has read, can send the confirmation back
            unasked. Where that must not happen, give it a key without <code>read:contacts</code>,
            or have your program ask before each call of <code>{REVEAL_TOOL}</code>.{' '}
            <code class="unbroken">--max-credits</code>, and a cap of the key, limit what it can
            cost.
          </li>
          <li>
            A reveal costs at most what was agreed to. Names and descriptions of records were
            written by others; each answer tells the model that they are no instructions.
          </li>
          <li>
            A call that is repeated because it was cancelled or its answer was lost is charged once:
            each carries an <a href={href('/docs/retries')}>Idempotency-Key</a>.
          </li>
          <li>
            <a href={href('/docs/credits#samples')}>Samples</a> are withheld, as an error that
            begins with NOT REAL DATA: a model would pass invented records on. With{' '}
            <code class="unbroken">--samples</code> they are shown, marked before and after.
          </li>
        </ul>
      </Section>
      <Section id="http" title="Over HTTP">
        <Code isCommand text={`CHAINKIN_URL=${site.baseUrl} chainkin mcp --port 3333`} />
        <p>
          The server then speaks streamable HTTP at{' '}
          <code class="unbroken">http://127.0.0.1:3333/mcp</code>, for many callers. Each sends its
          own API key, <code>Authorization: Bearer ck_live_…</code>, and one without a key in force
          gets a 401. It answers by the names of its own machine;{' '}
          <code>--allow-host mcp.example.com</code> adds one, for a proxy in front of it. Pages of
          other sites are refused by their <code>Origin</code>. A session is that of a key, until it
          has not been seen for an hour. Clients of the protocol's versions of 2025 keep a
          connection: a proxy has to send all requests of an <code>Mcp-Session-Id</code> to the same
          process.
        </p>
      </Section>
    </>
  ),
}

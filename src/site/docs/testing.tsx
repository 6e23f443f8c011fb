/** @jsxImportSource hono/jsx */
/** `/docs/testing`: the service in memory, for the tests of a client. */
import { Code, Section } from '../ui/page-parts.tsx'
import { type Document, Unsearched } from './document.tsx'
import { Install } from './install.tsx'
import { EXAMPLES } from './test-server-examples.ts'

export const testing: Document = {
  path: '/docs/testing',
  title: 'Testing your client',
  lead: 'The real service in memory, with invented records: tests make accounts, move its clock and break its answers, and spend nothing.',
  body: ({ href }) => (
    <>
      <Section id="test-server" title="A test server">
        <Install part="whole" />
        <Code isCommand text="npx chainkin test-server --json --until-stdin-ends" language="sh" />
        <p>
          It prints one line, <code>{'{"apiUrl": …, "appUrl": …, "controlUrl": …}'}</code>, when it
          is ready, and ends with the program that started it. It answers as this API does, and
          charges by the same rules. The address <code>controlUrl</code> takes and answers JSON: a
          test creates accounts there, sets faults and moves the clock.
        </p>
        <Unsearched>
          <Code
            text={`CONTROL=http://127.0.0.1:49153    # controlUrl of the line
curl -d '{"tier": "pro", "credits": 100}' $CONTROL/accounts    # key
curl $CONTROL/faults \\
  -d '{"path": "/v1/projects", "kind": "reset-after-charge", "count": 1}'
curl -d '{"advance": "61s"}' $CONTROL/clock
curl "$CONTROL/calls?path=/v1/projects"
curl -X POST $CONTROL/reset`}
            language="sh"
          />
          <p>
            <code class="unbroken">GET $CONTROL/openapi.json</code> describes everything that the
            control can be asked. A fault is an error, a delay, a connection that is reset before or
            after the charge, or a body that comes slowly or by half. A client that repeats with the
            same <a href={href('/docs/retries#idempotency')}>Idempotency-Key</a> pays once,
            whichever it is.
          </p>
        </Unsearched>
      </Section>
      <Section id="test-examples" title="In four languages">
        <p>
          One test for node:test, vitest, pytest and Go. In <code class="unbroken">bun test</code>{' '}
          the same is a library, without a process: <code>startDirectory</code> of{' '}
          <code class="unbroken">chainkin/testing</code>.
        </p>
        <Unsearched>
          {EXAMPLES.map(({ name, language, text }) => (
            <>
              <h3>{name}</h3>
              <Code isCommand text={text} language={language} />
            </>
          ))}
        </Unsearched>
      </Section>
    </>
  ),
}

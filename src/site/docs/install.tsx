/** @jsxImportSource hono/jsx */
/** How the package is installed. npm's registry doesn't have it yet, so it is packed in a clone. */
import { Code } from '../ui/page-parts.tsx'
import { Unsearched } from './document.tsx'

const PACK = '# In a clone of Chainkin\nnpx bun install && npm pack'

const COMMANDS = {
  whole: `${PACK}\n# In your project\nnpm install ../chainkin/chainkin-*.tgz`,
  command: `${PACK}\nnpm install --global ./chainkin-*.tgz`,
  client: `# In a clone of Chainkin
npx bun install && cd src/sdk && npm pack
# In your project
npm install ../chainkin/src/sdk/chainkin-sdk-*.tgz`,
}

/** The commands, in place of `npm install` by name, which would fetch whatever another publishes under it. */
export const Install = ({ part }: { part: keyof typeof COMMANDS }) => (
  <Unsearched>
    <Code isCommand text={COMMANDS[part]} language="sh" />
    <p>The package is not on npm yet; these commands make it from its source.</p>
  </Unsearched>
)

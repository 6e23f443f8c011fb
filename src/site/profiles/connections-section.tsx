/** @jsxImportSource hono/jsx */
/** Connections as an SVG picture in layers, and as a list, which phones show instead. */

import type { Child } from '../http/html.ts'
import type { PageContext } from '../http/page.ts'
import { Section } from '../ui/page-parts.tsx'
import { percent } from '../ui/scale.ts'
import { figure } from '../ui/text.tsx'
import type { ConnectedNode, Connections, Layer } from './connections.ts'

/** Heights in pixels; horizontal positions are shares of the width. */
const TITLE_HEIGHT = 28
const ROW_HEIGHT = 40
const NODE_HEIGHT = 30
/** Gap between two layers, as a share of the width. */
const GAP = 0.06
const NAME_MAX = 22
/** Limit for four layers in a narrow window. */
const SHORT_NAME_MAX = 16

interface Place {
  x: number
  y: number
}

interface ConnectionsProps {
  connections: Connections
  context: Pick<PageContext, 'href'>
}

interface SectionProps extends ConnectionsProps {
  /** Path of the page with all connections. */
  path: string
}

export function ConnectionsSection({ connections, context, path }: SectionProps) {
  const { layers } = connections
  if (layers.length < 2) return null
  const rows = Math.max(...layers.map(({ nodes }) => nodes.length))
  const width = (1 - GAP * (layers.length - 1)) / layers.length
  const places = new Map<string, Place>()
  for (const [column, { nodes }] of layers.entries()) {
    for (const [row, { id }] of nodes.entries()) {
      const y = TITLE_HEIGHT + ROW_HEIGHT * (row + (rows - nodes.length) / 2 + 0.5)
      places.set(placeKey(column, id), { x: column * (width + GAP), y })
    }
  }
  return (
    <Section id="connections" title="Connections">
      <section class="chart network" tabindex={0} aria-label="Picture: connections">
        <svg height={TITLE_HEIGHT + rows * ROW_HEIGHT}>
          <title>Who is connected, from left to right</title>
          {linesOf(connections, places).map(([start, end]) => {
            const x1 = percent(start.x + width)
            return <line class="link" x1={x1} y1={start.y} x2={percent(end.x)} y2={end.y} />
          })}
          {layers.map((layer, column) => (
            <LayerNodes
              layer={layer}
              isCrowded={layers.length > 3}
              column={column}
              width={width}
              places={places}
              context={context}
            />
          ))}
        </svg>
      </section>
      <details class="others same-as-list">
        <summary>Connections as a list</summary>
        {layers.map((layer) => (
          <LayerList layer={layer} connections={connections} context={context} />
        ))}
      </details>
      <p class="note">
        <a href={context.href(path)}>All connections</a>
      </p>
    </Section>
  )
}

const placeKey = (column: number, id: string) => `${column} ${id}`

/** Start and end of each line. */
function linesOf({ layers, links }: Connections, places: ReadonlyMap<string, Place>) {
  return layers.flatMap((_, column) =>
    links.flatMap(([from, to]): [Place, Place][] => {
      const start = places.get(placeKey(column, from))
      const end = places.get(placeKey(column + 1, to))
      return start && end ? [[start, end]] : []
    }),
  )
}

interface LayerProps {
  layer: Layer
  context: Pick<PageContext, 'href'>
}

interface LayerNodesProps extends LayerProps {
  column: number
  isCrowded: boolean
  /** Share of the picture's width. */
  width: number
  places: ReadonlyMap<string, Place>
}

function LayerNodes(props: LayerNodesProps) {
  const { layer, column, isCrowded, width, places, context } = props
  return (
    <>
      <text class="layer" x={percent(column * (width + GAP))} y="14">
        {titleOf(layer)}
      </text>
      {layer.nodes.map((node) => {
        const { x, y } = places.get(placeKey(column, node.id)) ?? { x: 0, y: 0 }
        return (
          <svg
            class={node.isSelf ? 'node self' : 'node'}
            x={percent(x)}
            y={y - NODE_HEIGHT / 2}
            width={percent(width)}
            height={NODE_HEIGHT}
          >
            <title>{node.name}</title>
            <a href={context.href(node.path)}>
              <rect x="1" y="1" width="100%" height={NODE_HEIGHT - 2} rx="6" />
              <Name of={node} isCrowded={isCrowded} />
            </a>
          </svg>
        )
      })}
    </>
  )
}

const titleOf = ({ title, nodes, total }: Layer) =>
  total === null || total === nodes.length ? title : `${title}, ${nodes.length} of ${figure(total)}`

/** Shortened name: SVG doesn't truncate text. */
function Name({ of: { name }, isCrowded }: { of: ConnectedNode; isCrowded: boolean }) {
  const y = NODE_HEIGHT / 2 + 4
  const [long, short] = [NAME_MAX, SHORT_NAME_MAX].map((most) => shortened(name, most))
  if (!isCrowded || short === long) {
    return (
      <text x="10" y={y}>
        {long}
      </text>
    )
  }
  return (
    <>
      <text class="long" x="10" y={y}>
        {long}
      </text>
      <text class="short" x="10" y={y}>
        {short}
      </text>
    </>
  )
}

function shortened(name: string, most: number): string {
  const letters = [...name]
  return letters.length > most ? `${letters.slice(0, most - 1).join('')}…` : name
}

function LayerList({ layer, connections, context }: LayerProps & ConnectionsProps) {
  const { layers, links } = connections
  const before = layers[layers.indexOf(layer) - 1]?.nodes ?? []
  const leadingTo = ({ id }: ConnectedNode) =>
    before.filter((other) => links.some(([from, to]) => from === other.id && to === id))
  return (
    <>
      <h3>{titleOf(layer)}</h3>
      <ul>
        {layer.nodes.map((node) => {
          const through = leadingTo(node)
          return (
            <li>
              <a href={context.href(node.path)}>{node.name}</a>
              {before.length > 1 && through.length > 0 ? <> with {namesOf(through)}</> : null}
            </li>
          )
        })}
      </ul>
    </>
  )
}

function namesOf(nodes: readonly ConnectedNode[]): Child {
  return nodes.map(({ name }, i) => (
    <>
      {i > 0 ? ', ' : null}
      <bdi>{name}</bdi>
    </>
  ))
}

/** A dashboard for Grafana, of the metrics that `METRICS_PORT` shows. */
import { API_VERSION } from '../../../contract/version.ts'
import { READY } from '../../service/metrics/descriptions.ts'
import { CURVES, FIGURES, type Panel } from './panels.ts'

/** Grafana's grid has 24 columns. */
const WIDTH = 24
const FIGURE = { w: 4, h: 4 }
const CURVE = { w: 12, h: 8 }

/** The dashboard as JSON, for "Import" in Grafana 9 or newer. */
export function grafanaDashboard(): string {
  const panels = [...FIGURES, ...CURVES].map(panelOf)
  const dashboard = {
    title: 'Chainkin',
    uid: 'chainkin',
    description: `Chainkin ${API_VERSION}`,
    tags: ['chainkin'],
    schemaVersion: 36,
    editable: true,
    refresh: '30s',
    time: { from: 'now-3h', to: 'now' },
    templating: { list: [SOURCE, INSTANCE] },
    panels,
  }
  return `${JSON.stringify(dashboard, null, 2)}\n`
}

const DATASOURCE = { type: 'prometheus', uid: '$source' }
const SOURCE = { name: 'source', label: 'Prometheus', type: 'datasource', query: 'prometheus' }
const INSTANCE = {
  name: 'instance',
  label: 'Instance',
  type: 'query',
  datasource: DATASOURCE,
  query: { query: `label_values(${READY.name}, instance)`, refId: 'instance' },
  refresh: 2,
  includeAll: true,
  multi: true,
  allValue: '.*',
  current: { text: 'All', value: '$__all' },
}

function panelOf({ title, says, unit, lines, isFigure = false }: Panel, position: number) {
  const size = isFigure ? FIGURE : CURVE
  const place = isFigure ? position : position - FIGURES.length
  const left = place * size.w
  const above = isFigure ? 0 : FIGURE.h
  return {
    id: position + 1,
    title,
    description: says,
    type: isFigure ? 'stat' : 'timeseries',
    datasource: DATASOURCE,
    gridPos: { ...size, x: left % WIDTH, y: above + Math.floor(left / WIDTH) * size.h },
    fieldConfig: { defaults: { unit, min: 0 }, overrides: [] },
    options: isFigure ? { reduceOptions: { calcs: ['lastNotNull'] } } : {},
    targets: lines.map(({ ask, legend }, n) => ({
      refId: String.fromCharCode(65 + n),
      datasource: DATASOURCE,
      expr: ask,
      legendFormat: legend,
    })),
  }
}

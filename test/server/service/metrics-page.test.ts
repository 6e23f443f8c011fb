/** The sums of the metrics page. */
import { expect, test } from 'bun:test'
import { counter, type Family, gauge } from '../../../src/server/metrics/families.ts'
import { startMetricsPage } from '../../../src/server/service/metrics-page.ts'

const CALLS = { name: 'calls_total', help: 'Calls' }
const calls = (value: number, outcome = 'charged'): Family =>
  counter(CALLS, [{ value, labels: { outcome } }])

test('what a process counted is in the sums once, before, while and after it ends; its gauges go', async () => {
  const running = new Map([
    [1, [calls(3), calls(2, 'free'), gauge({ name: 'bytes', help: 'Bytes' }, 7)]],
    [2, [calls(4)]],
  ])
  let meanwhile = () => {}
  const page = await startMetricsPage({
    host: '127.0.0.1',
    port: 0,
    collect: async () => {
      const families = [...running.values()]
      meanwhile()
      return families
    },
  })
  const read = async () => {
    const text = await (await fetch(`http://127.0.0.1:${page.port}/metrics`)).text()
    return text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  }
  const end = (number: number) => {
    const families = running.get(number) ?? []
    running.delete(number)
    page.retire(families)
  }
  const sums = ['calls_total{outcome="charged"} 7', 'calls_total{outcome="free"} 2']
  expect(await read()).toEqual([...sums, 'bytes 7'])
  meanwhile = () => end(1)
  expect(await read()).toEqual([...sums, 'bytes 7'])
  meanwhile = () => {}
  expect(await read()).toEqual(sums)
  // Ends in the turn in which the page is read.
  const reading = read()
  end(2)
  expect(await reading).toEqual(sums)
  await page.stop()
})

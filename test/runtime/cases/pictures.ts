/** `image refresh` beside the running server: fetching, decoding in a thread, and the page that shows what came of it. */
import { expect } from 'bun:test'
import { setTimeout as pause } from 'node:timers/promises'
import { startHostileHost } from '../../directory/pictures/hostile-host.ts'
import type { Stage } from '../stage.ts'

export function pictureCases(stage: Stage) {
  stage.check(
    'image refresh: a logo that is got is shown and served, one that is none is named',
    async () => {
      const host = await startHostileHost()
      try {
        const rows = ['/good.png', '/bomb.png'].map((path, n) => ({
          name: `Pictured ${n}`,
          slug: `pictured-${n}`,
          companyType: 'project',
          logoUrl: host.url(path, '127.0.0.1'),
        }))
        const input = rows.map((row) => JSON.stringify(row)).join('\n')
        expect((await stage.command(['import', '--companies', '-'], { input })).code).toBe(0)
        const refresh = await stage.command(['image', 'refresh', '--json'], {
          env: { PICTURE_NETWORKS: '127.0.0.1' },
        })
        expect(refresh.stderr).toContain('60000 × 60000 pixels: 4096 a side are taken')
        expect(refresh.json()).toMatchObject({ got: 1, failed: 1, left: 0 })

        let address = ''
        while (address === '') {
          const page = await stage.app('/projects/pictured-0')
          address = /src="(\/pictures\/[^"]+)"/.exec(page.text)?.[1] ?? ''
          if (address === '') await pause(50)
        }
        const picture = await stage.app(address)
        expect([picture.status, picture.headers['content-type']]).toEqual([200, 'image/webp'])
      } finally {
        await host.stop()
      }
    },
  )
}

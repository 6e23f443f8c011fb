/** contract/GET /v1/services and /v1/services/{slug}, contract/Service provider record. */
import { describe, expect, test } from 'bun:test'
import { AURORA, DORADO, EMBER, EMILE, GLACIER, HARBOR, IRIS, JUNO } from '../helpers/fixtures.ts'
import { expectShape, PROJECT } from '../helpers/shapes.ts'
import { ENVELOPE, slugsOf, startApi } from './setup.ts'

const { caller, bodyOf, listed } = await startApi()

describe('contract/GET services', () => {
  test('contract/Service provider record: the project record’s shape, told apart by companyType; the overlap still appears', async () => {
    const body = await bodyOf('/v1/services')
    expect(Object.keys(body)).toEqual(ENVELOPE)
    for (const provider of body.data) expectShape(provider, PROJECT)
    const kinds = body.data.map(({ slug, companyType }: { slug: string; companyType: string }) => [
      slug,
      companyType,
    ])
    expect(kinds).toEqual([
      [IRIS.slug, 'platform'],
      [JUNO.slug, 'launchpad'],
      [HARBOR.slug, 'service'],
      [EMBER.slug, 'investor'],
    ])
  })

  test('contract/GET services: q, sector and sort', async () => {
    expect(await listed('/v1/services?q=harbor')).toEqual([HARBOR.slug])
    expect(await listed('/v1/services?sector=security')).toEqual([HARBOR.slug])
    expect(await listed('/v1/services?sort=name')).toEqual(slugsOf([EMBER, HARBOR, IRIS, JUNO]))
    expect(await listed('/v1/services?sort=recent')).toEqual(slugsOf([IRIS, JUNO, HARBOR, EMBER]))
  })

  test.each([HARBOR, IRIS, JUNO, EMBER])(
    'contract/GET services slug: {service, team[], meta}, by slug or by id: $slug',
    async ({ id, slug }) => {
      const body = await bodyOf(`/v1/services/${slug}`)
      expect(Object.keys(body)).toEqual(['service', 'team', 'meta'])
      expectShape(body.service, PROJECT)
      expect((await bodyOf(`/v1/services/${id}`)).service).toEqual(body.service)
    },
  )

  test('what the services directory does not list is a 404 there', async () => {
    for (const { slug } of [AURORA, DORADO, GLACIER]) {
      expect((await caller.get(`/v1/services/${slug}`)).status).toBe(404)
    }
    const { team } = await bodyOf(`/v1/services/${HARBOR.slug}`)
    expect(team.map(({ id }: { id: string }) => id)).toEqual([EMILE.id])
  })
})

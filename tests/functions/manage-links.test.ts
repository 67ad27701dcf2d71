/**
 * A partner's links: its slug can be changed, the former one goes on working, and none is given
 * away unless it is released.
 */
import { describe, expect, test } from 'vitest'
import { MAX_FURTHER_LINKS } from '../../lib/partners/links/links.queries.ts'
import { importer } from '../support/imports.ts'
import { createMerchant, errorShape, useDatabase } from '../support/merchant.ts'
import { browse, openPages } from '../support/pages.ts'
import { openSession } from '../support/people.ts'

const database = useDatabase()

/** The partners "ann" and "bea" of one program. */
const createTeam = async () => {
  const merchant = await createMerchant()
  const { workspace, programId } = merchant
  const add = (slug: string) =>
    merchant.seed.addPartner(workspace.id, programId, {
      slug,
      email: `${slug}@${workspace.slug}.example`,
    })
  const [ann, bea] = [await add('ann'), await add('bea')]
  const manager = await merchant.asManager()
  return {
    merchant,
    manager,
    ann,
    bea,
    rename: (slug: string, id = ann) => manager.patch(`/partners/${id}`, { slug }),
    addLink: (slug: string, id = ann) => manager.post(`/partners/${id}/links`, { slug }),
    release: (slug: string, id = ann) =>
      manager.delete(`/partners/${id}/links/${encodeURIComponent(slug)}`),
    slugs: async (id = ann) => {
      const { body } = await manager.get(`/partners/${id}/links`)
      return (body.data as { slug: string }[]).map(({ slug }) => slug)
    },
    /**
     * Whose link has the slug: the id of the partner that a click through it is recorded for, or
     * null.
     */
    holder: async (slug: string) => {
      try {
        const clickId = await merchant.click(slug)
        const [click] = await database.query<{ partner: string }>(
          'select partner_id as partner from clicks where id = $1',
          [clickId],
        )
        return click?.partner
      } catch {
        return null
      }
    },
  }
}

test('the former slug goes on working, in any case, and can be found and taken back', async () => {
  const { merchant, manager, ann, rename, slugs, holder } = await createTeam()
  const renamed = await rename('Ann-2')
  expect([renamed.status, renamed.body]).toMatchObject([
    200,
    { slug: 'Ann-2', link: 'https://shop.example/?via=Ann-2' },
  ])
  await rename('ann-3')
  expect((await manager.get(`/partners/${ann}/links`)).body).toEqual({
    data: [
      { slug: 'ann-3', link: 'https://shop.example/?via=ann-3', isMain: true, clicks: 0, sales: 0 },
      {
        slug: 'Ann-2',
        link: 'https://shop.example/?via=Ann-2',
        isMain: false,
        clicks: 0,
        sales: 0,
      },
      { slug: 'ann', link: 'https://shop.example/?via=ann', isMain: false, clicks: 0, sales: 0 },
    ],
  })
  for (const slug of ['ANN', 'ann-2', 'ann-3']) expect(await holder(slug)).toBe(ann)
  for (const query of ['slug=ANN-2', 'query=nn-2']) {
    const { body } = await manager.get(`/partners?${query}`)
    expect((body.data as { id: string }[]).map(({ id }) => id)).toEqual([ann])
  }
  expect((await database.audit(merchant)).at(-1)).toMatchObject({
    action: 'partner.changed',
    subject_id: ann,
    details: { slug: { from: 'Ann-2', to: 'ann-3' } },
  })
  // Back to the first one: it is main again, and not twice there.
  expect((await rename('ann')).status).toBe(200)
  expect(await slugs()).toEqual(['ann', 'ann-3', 'Ann-2'])
  // Another case alone is no other link.
  expect((await rename('ANN')).body.slug).toBe('ANN')
  expect(await slugs()).toEqual(['ANN', 'ann-3', 'Ann-2'])
})

test('a sale by a former link is credited, and the portal explains events of before and after the change', async () => {
  const { merchant, ann, rename } = await createTeam()
  await merchant.sale({ externalId: 'before', clickId: await merchant.click('ann') })
  await rename('ann-2')
  const { body } = await merchant.sale({
    externalId: 'after',
    customerExternalId: 'user_2',
    clickId: await merchant.click('ann'),
  })
  expect(body.attributed).toBe(true)
  expect((await merchant.explain(body.eventId)).partner).toMatchObject({ id: ann, slug: 'ann-2' })
  const manager = await merchant.asManager()
  for (const externalId of ['before', 'after']) {
    const event = await merchant.explainReport('sale', externalId)
    await manager.post(`/events/${event?.id}/credit`, {
      partnerId: ann,
      reason: `Agreed for ${externalId}`,
    })
  }
  await rename('ann-3')
  const portal = browse(
    await openSession(`ann@${merchant.workspace.slug}.example`),
    undefined,
    '/portal',
  )
  const page = await portal.get('')
  expect(page.text).toContain('https://shop.example/?via=ann-3')
  expect(page.text).toContain('2 more links are yours')
  const events = await portal.get('/events')
  for (const externalId of ['before', 'after']) {
    const event = await merchant.explainReport('sale', externalId)
    expect(events.html).toContain(`/portal/events/${event?.id}`)
    expect((await portal.get(`/events/${event?.id}`)).text).toContain(`Agreed for ${externalId}`)
  }
})

describe('a slug that another partner has, as its main or as a former one', () => {
  test.each(['bea', 'BEA', 'bea-former'])(
    '%s is not given away: renamed, added, created or imported',
    async (slug) => {
      const { merchant, manager, bea, rename, addLink, holder } = await createTeam()
      await rename('bea-former', bea)
      await rename('bea', bea)
      const taken = {
        ...errorShape('slug_taken'),
        suggestion: expect.stringMatching(new RegExp(`^${slug}-[a-z0-9]{4}$`)),
      }
      for (const answer of [
        await rename(slug),
        await addLink(slug),
        await manager.post('/partners', {
          programId: merchant.programId,
          email: 'new@x.example',
          slug,
        }),
      ]) {
        expect([answer.status, answer.body]).toEqual([409, taken])
      }
      const suffixed = await manager.post('/partners', {
        programId: merchant.programId,
        email: 'new@x.example',
        slug,
        onSlugTaken: 'suffix',
      })
      expect(suffixed.body.slug).toMatch(new RegExp(`^${slug}-[a-z0-9]{4}$`))
      const imports = await importer(merchant)
      for (const rows of [
        [{ email: 'imported@x.example', slug }],
        [{ email: 'third@x.example', slug, openingBalanceCents: 100 }],
      ]) {
        const { body } = await imports.partners(rows, { importOpeningBalances: true })
        expect(body.results).toMatchObject([
          {
            status: 'created',
            requestedSlug: slug,
            slug: expect.stringMatching(new RegExp(`^${slug}-[a-z0-9]{4}$`)),
          },
        ])
      }
      expect(await holder(slug)).toBe(bea)
    },
  )
})

test('of eight requests for one slug, by any endpoint, one partner gets it', async () => {
  const { merchant, manager, ann, bea, rename, addLink } = await createTeam()
  const imports = await importer(merchant)
  await Promise.all([
    rename('prize'),
    rename('prize', bea),
    addLink('prize'),
    addLink('Prize', bea),
    manager.post('/partners', {
      programId: merchant.programId,
      email: 'c@x.example',
      slug: 'prize',
    }),
    imports.partners([{ email: 'd@x.example', slug: 'prize' }]),
    manager.post(`/partners/${ann}/links`, { slug: 'PRIZE' }),
    imports.partners([{ email: 'e@x.example', slug: 'prize' }]),
  ])
  const holders = await database.query(
    `select partner from (
       select id as partner from partners where program_id = $1 and slug_key = 'prize'
       union all select partner_id from links where program_id = $1 and slug_key = 'prize') all_links`,
    [merchant.programId],
  )
  expect(holders).toHaveLength(1)
  const both = await database.query(
    'select from partners p join links l on l.program_id = p.program_id and l.slug_key = p.slug_key where p.program_id = $1',
    [merchant.programId],
  )
  expect(both).toEqual([])
})

test('a slug that becomes the partner’s main one while it is added is no second link', async () => {
  const { merchant, ann, addLink, slugs } = await createTeam()
  const added = await database.whileUncommitted(
    `with locked as materialized (select pg_advisory_xact_lock(hashtextextended('partners.import ' || $1, 0)))
     update partners set slug = 'prize', slug_key = 'prize' from locked where id = $2`,
    [merchant.workspace.id, ann],
    () => addLink('prize'),
  )
  expect(added).toMatchObject({ status: 200, body: { slug: 'prize', isMain: true } })
  expect(await slugs()).toEqual(['prize'])
})

test('a link is added once, and the same slug in another program is another link', async () => {
  const { merchant, ann, addLink, slugs, holder } = await createTeam()
  expect(await addLink('ann-video')).toMatchObject({
    status: 201,
    body: { slug: 'ann-video', link: 'https://shop.example/?via=ann-video', isMain: false },
  })
  expect((await addLink('ann-video')).status).toBe(200)
  expect((await addLink('ann')).body).toMatchObject({ isMain: true })
  expect(await slugs()).toEqual(['ann', 'ann-video'])
  expect(await holder('ANN-video')).toBe(ann)
  const other = await merchant.seed.addProgram(merchant.workspace.id)
  const manager = await merchant.asManager()
  const elsewhere = await manager.post('/partners', {
    programId: other,
    email: 'f@x.example',
    slug: 'ann-video',
  })
  expect(elsewhere.status).toBe(201)
  expect(
    (await database.audit(merchant)).filter(({ action }) => action === 'link.added'),
  ).toHaveLength(1)
})

test('a released link is free: its slug counts for nobody, then for whoever gets it; earlier clicks still count', async () => {
  const { merchant, bea, rename, addLink, release, slugs, holder } = await createTeam()
  const clickId = await merchant.click('ann')
  await rename('ann-2')
  const answers = await Promise.all(Array.from({ length: 4 }, () => release('ANN')))
  expect(answers.map(({ status }) => status)).toContain(204)
  expect(answers.filter(({ status }) => ![204, 404].includes(status))).toEqual([])
  expect(await slugs()).toEqual(['ann-2'])
  expect(await holder('ann')).toBeNull()
  expect((await addLink('ann', bea)).status).toBe(201)
  expect(await holder('ann')).toBe(bea)
  const { body } = await merchant.sale({ clickId })
  expect(body.attributed).toBe(true)
  expect((await merchant.explain(body.eventId)).partner).toMatchObject({ slug: 'ann-2' })
  expect(
    (await database.audit(merchant)).filter(({ action }) => action === 'link.released'),
  ).toHaveLength(1)
})

test('the main link can’t be released, and what is no link of the partner’s is not found', async () => {
  const { release } = await createTeam()
  expect(await release('ann')).toMatchObject({ status: 409, body: errorShape('conflict') })
  for (const slug of ['bea', 'nobody', '\u0000']) expect((await release(slug)).status).toBe(404)
})

test('a banned partner’s further links do not work', async () => {
  const { manager, ann, rename, holder } = await createTeam()
  await rename('ann-2')
  await manager.patch(`/partners/${ann}`, { status: 'banned' })
  expect(await holder('ann')).toBeNull()
  await manager.patch(`/partners/${ann}`, { status: 'approved' })
  expect(await holder('ann')).toBe(ann)
})

test(`a partner has ${MAX_FURTHER_LINKS} further links at most`, async () => {
  const { merchant, ann, rename, addLink, release } = await createTeam()
  await database.query(
    `insert into links (id, workspace_id, program_id, partner_id, slug, slug_key, created_at)
     select uuidv7(), $1, $2, $3, 'ann-' || n, 'ann-' || n, now() from generate_series(1, $4::int) n`,
    [merchant.workspace.id, merchant.programId, ann, MAX_FURTHER_LINKS],
  )
  for (const answer of [await rename('one-more'), await addLink('one-more')])
    expect(answer).toMatchObject({ status: 409, body: errorShape('conflict') })
  expect((await rename('ann-1')).status).toBe(200)
  await release('ann-2')
  expect((await addLink('one-more')).status).toBe(201)
})

test.each(['', '   ', 'x'.repeat(256), 'a\nb', 7])('the slug %j is refused', async (slug) => {
  const { ann, manager } = await createTeam()
  for (const answer of [
    await manager.patch(`/partners/${ann}`, { slug }),
    await manager.post(`/partners/${ann}/links`, { slug }),
  ])
    expect([answer.status, answer.body.error?.code]).toEqual([400, 'invalid_body'])
})

test('a manager adds, promotes and releases links on the partner’s page', async () => {
  const { merchant, ann, slugs, holder } = await createTeam()
  const pages = await openPages(merchant)
  const at = `/partners/${ann}`
  const added = await pages.post(`${at}/links`, { slug: 'ann-video' })
  expect([added.status, added.location]).toEqual([303, expect.stringContaining('done=link_added')])
  expect((await pages.get(at)).text).toContain('https://shop.example/?via=ann-video')
  const refused = await pages.post(`${at}/links`, { slug: 'bea' })
  expect([refused.status, refused.text]).toEqual([
    409,
    expect.stringContaining('Another partner of this program'),
  ])
  await pages.post(`${at}/links/main`, { slug: 'ann-video' })
  expect(await slugs()).toEqual(['ann-video', 'ann'])
  expect((await pages.get(`${at}/links/release?slug=ann`)).text).toContain('Release this link?')
  await pages.post(`${at}/links/release`, { slug: 'ann' })
  expect([await slugs(), await holder('ann')]).toEqual([['ann-video'], null])
  const member = await openPages(merchant, 'member')
  for (const path of ['links', 'links/main', 'links/release'])
    expect((await member.post(`${at}/${path}`, { slug: 'x' })).status).toBe(403)
})

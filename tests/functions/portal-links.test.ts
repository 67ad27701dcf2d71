/** The portal's page of links, and the builder that the partner's page shares with it. */
import { describe, expect, inject, test } from 'vitest'
import { MAX_OWN_LINKS } from '../../lib/partners/links/links.queries.ts'
import { startFaultyDatabase } from '../support/faulty-database.ts'
import { importer } from '../support/imports.ts'
import { askAs } from '../support/in-process.ts'
import { useDatabase } from '../support/merchant.ts'
import { browse, openPages } from '../support/pages.ts'
import { openSession } from '../support/people.ts'
import { createPartner } from '../support/portal.ts'

const database = useDatabase()

const SITE = 'https://shop.example'

/** A partner "ann" with a further link, "ann-video". */
const createLinker = async (status: 'approved' | 'banned' = 'approved') => {
  const partner = await createPartner({}, 'ann', status)
  const { merchant, workspaceId, partnerId, cookie } = partner
  const addLink = (slug: string) =>
    database.query(
      `insert into links (id, workspace_id, program_id, partner_id, slug, slug_key, created_at)
       values (uuidv7(), $1, $2, $3, $4, $4, now())`,
      [workspaceId, merchant.programId, partnerId, slug],
    )
  await addLink('ann-video')
  const portal = browse(await cookie(), inject('baseUrl'), '/portal')
  return {
    ...partner,
    addLink,
    portal,
    /** The partner adds a link. */
    add: (slug: string, program = merchant.programId) => portal.post('/links', { program, slug }),
    slugs: async () => {
      const links = await database.query<{ slug: string }>(
        'select slug from links where partner_id = $1 order by id',
        [partnerId],
      )
      return links.map(({ slug }) => slug)
    },
    /** Who added which link, as the audit log has it. */
    log: async () =>
      (await database.audit(merchant)).flatMap(({ action, actor, details }) =>
        action === 'link.added' ? [{ actor, ...(details as object) }] : [],
      ),
  }
}

const query = (fields: Record<string, string>) => `?${new URLSearchParams(fields)}`

test('a partner makes a link to any page, with any of its slugs, in the portal and a member on its page', async () => {
  const { merchant, partnerId, portal } = await createLinker()
  const member = await openPages(merchant, 'member')
  for (const get of [
    (rest: string) => portal.get(`/links${rest}`),
    (rest: string) => member.get(`/partners/${partnerId}${rest}`),
  ]) {
    const plain = await get('')
    expect(plain.text).toContain(`${SITE}/?via=ann `)
    expect(plain.text).toContain(`${SITE}/?via=ann-video`)
    expect(plain.html).not.toContain('QR code of')
    const page = 'shop.example/pricing?plan=pro&via=leo#top'
    const main = await get(query({ page }))
    expect([main.status, main.text]).toEqual([
      200,
      expect.stringContaining(`${SITE}/pricing?plan=pro&via=ann#top`),
    ])
    expect(main.html).toContain(`aria-label="QR code of ${SITE}/pricing?plan=pro&amp;via=ann#top"`)
    expect(main.html).toContain('download="ann.svg"')
    const video = await get(query({ page, link: 'ann-video' }))
    expect(video.text).toContain(`${SITE}/pricing?plan=pro&via=ann-video#top`)
    // Whoever was given this URL has no link of another partner.
    const strange = await get(query({ page, link: 'leo' }))
    expect(strange.text).toContain(`${SITE}/pricing?plan=pro&via=ann#top`)
  }
})

test.each([
  { page: 'https://evil.example/', says: 'This page is not on shop.example' },
  { page: 'http://shop.example/', says: 'starts with https://' },
  { page: 'javascript:alert(1)', says: 'such as https://shop.example/pricing' },
  { page: '"><script>alert(1)</script>', says: 'such as https://shop.example/pricing' },
  { page: `/${'x'.repeat(2_000)}`, says: 'at most 2,000 characters' },
  { page: '\u0000', says: 'such as https://shop.example/pricing' },
])('$page is refused with a sentence', async ({ page, says }) => {
  const { merchant, partnerId, portal } = await createLinker()
  for (const shown of [
    await portal.get(`/links${query({ page })}`),
    await (await openPages(merchant)).get(`/partners/${partnerId}${query({ page })}`),
  ]) {
    expect([shown.status, shown.text]).toEqual([400, expect.stringContaining(says)])
    expect(shown.html).not.toContain('<script>alert')
    expect(shown.html).not.toContain('QR code of')
  }
})

test.each(['ann@example.com', '\u0007'])(
  '%j as a channel is refused, because it would not be counted',
  async (sub) => {
    const { merchant, partnerId, portal } = await createLinker()
    const asked = query({ page: '/pricing', sub })
    for (const shown of [
      await portal.get(`/links${asked}`),
      await (await openPages(merchant)).get(`/partners/${partnerId}${asked}`),
    ]) {
      expect([shown.status, shown.text]).toEqual([
        400,
        expect.stringContaining('Email addresses are not counted.'),
      ])
      expect(shown.html).not.toContain('QR code of')
    }
  },
)

test('the page of a long link, and of an encoded one, is small; one too long for a phone has no QR code', async () => {
  const { portal } = await createLinker()
  const longest = await portal.get(`/links${query({ page: `/${'x'.repeat(460)}` })}`)
  expect(longest.html).toContain('aria-label="QR code of')
  const tooLong = await portal.get(`/links${query({ page: `/${'ü'.repeat(1_900)}` })}`)
  expect(tooLong.text).toContain('too long for a QR code')
  for (const { status, html } of [longest, tooLong]) {
    expect(status).toBe(200)
    expect(html.length).toBeLessThan(100_000)
  }
})

test('a partner of several programs chooses one; another’s program is not found; a stranger has none', async () => {
  const { merchant, email, portal } = await createLinker()
  const other = await merchant.seed.addProgram(merchant.workspace.id, {
    name: 'Zebra',
    site_url: 'https://zebra.example',
  })
  await merchant.seed.addPartner(merchant.workspace.id, other, { slug: 'zann', email })
  expect((await portal.get('/links')).text).toContain(`${SITE}/?via=ann`)
  const second = await portal.get(`/links${query({ program: other, page: '/a' })}`)
  expect(second.text).toContain('https://zebra.example/a?via=zann')
  expect(second.text).not.toContain('?via=ann ')
  const theirs = await createLinker()
  for (const program of [theirs.merchant.programId, 'x', '\u0000'])
    expect((await portal.get(`/links${query({ program })}`)).status).toBe(404)
  const stranger = browse(await openSession(`nobody-${email}`), inject('baseUrl'), '/portal')
  expect((await stranger.get('/links')).text).toContain('is not a partner of any program')
})

test('a banned partner sees the counts of its links, none to copy or to make, and whom to ask', async () => {
  const { portal, merchant } = await createLinker('banned')
  await merchant.manager()
  for (const query of ['', '?page=/pricing']) {
    const { html, text } = await portal.get(`/links${query}`)
    expect(text).toContain('your links do not work')
    expect(text).toContain(`ask the merchant ( manager@${merchant.workspace.slug}.example )`)
    expect(html).toContain('<code>ann-video</code>')
    expect(html).not.toMatch(/data-copy|via=ann|name="page"|QR/)
  }
})

describe('a partner adds a link', () => {
  test('which works, shows in the portal, and is in the audit log as added by the partner', async () => {
    const { merchant, email, add, slugs, log, portal } = await createLinker()
    const added = await add('ann-Newsletter')
    expect([added.status, added.location]).toEqual([
      303,
      `/portal/links?program=${merchant.programId}&done=link_added`,
    ])
    const shown = await portal.get(added.location?.replace('/portal', '') ?? '')
    expect(shown.text).toContain('Link added')
    expect(shown.text).toContain(`${SITE}/?via=ann-newsletter`)
    expect(await merchant.click('ANN-newsletter')).toMatch(/^clk_/)
    for (const again of ['ANN-newsletter', 'ann', 'Ann-Video'])
      expect((await add(again)).location).toContain('done=link_already_added')
    expect(await slugs()).toEqual(['ann-video', 'ann-newsletter'])
    expect(await log()).toEqual([{ actor: email, email, slug: 'ann-newsletter' }])
    const audit = await (await openPages(merchant)).get('/audit')
    expect(audit.text).toContain('added the link “ann-newsletter”')
  })

  test.each(['bea', 'BEA', 'bea-video'])('not one that another partner has: %s', async (slug) => {
    const { merchant, add, slugs, log } = await createLinker()
    const { id } = merchant.workspace
    const bea = await merchant.seed.addPartner(id, merchant.programId, {
      slug: 'bea',
      email: 'b@x.example',
    })
    await (await merchant.asManager()).post(`/partners/${bea}/links`, { slug: 'bea-video' })
    const refused = await add(slug)
    expect([refused.status, refused.text]).toEqual([
      409,
      expect.stringMatching(new RegExp(`“${slug}” is taken.*such as ${slug}-\\w{4}\\.`, 'i')),
    ])
    expect(await slugs()).toEqual(['ann-video'])
    expect(await log()).toEqual([expect.objectContaining({ slug: 'bea-video' })])
  })

  test.each(['', '   ', 'x'.repeat(256), 'a\u0000b', 'a\nb'])(
    'not with the slug %j',
    async (slug) => {
      const { add, slugs } = await createLinker()
      const refused = await add(slug)
      expect([refused.status, refused.html]).toEqual([
        400,
        expect.stringContaining('id="slug-error"'),
      ])
      expect(await slugs()).toEqual(['ann-video'])
    },
  )

  test('not while it is banned, also if that happens meanwhile', async () => {
    const banned = await createLinker('banned')
    expect((await banned.portal.get('/links')).html).not.toContain('name="slug"')
    const refused = await banned.add('ann-2')
    expect([refused.status, await banned.slugs()]).toEqual([409, ['ann-video']])

    const { partnerId, add, slugs, log } = await createLinker()
    const late = await database.whileUncommitted(
      `update partners set status = 'banned' where id = $1`,
      [partnerId],
      () => add('ann-2'),
    )
    expect([late.status, late.text]).toEqual([409, expect.stringContaining('no longer active')])
    expect([await slugs(), await log()]).toEqual([['ann-video'], []])
  })

  test('not to a partner whose address is another one by then', async () => {
    const { partnerId, add, slugs } = await createLinker()
    const late = await database.whileUncommitted(
      `update partners set email = 'other@x.example' where id = $1`,
      [partnerId],
      () => add('ann-2'),
    )
    expect([late.status, await slugs()]).toEqual([409, ['ann-video']])
  })

  test('not in a program of others, not from another site, and not signed out', async () => {
    const { add, portal, merchant, slugs } = await createLinker()
    const other = await createLinker()
    for (const program of [other.merchant.programId, 'x'])
      expect((await add('ann-2', program)).status).toBe(404)
    const fields = { program: merchant.programId, slug: 'ann-2' }
    expect((await portal.post('/links', fields, { Origin: 'https://evil.example' })).status).toBe(
      403,
    )
    expect((await browse(null, inject('baseUrl'), '/portal').post('/links', fields)).status).toBe(
      303,
    )
    expect([await slugs(), await other.slugs()]).toEqual([['ann-video'], ['ann-video']])
  })
})

test(`of ten links that a partner with ${MAX_OWN_LINKS - 2} adds at once, two are added; a manager adds more`, async () => {
  const { merchant, partnerId, addLink, add, slugs, log, portal } = await createLinker()
  for (let n = 3; n <= MAX_OWN_LINKS - 2; n++) await addLink(`ann-${n}`)
  const answers = await Promise.all(Array.from({ length: 10 }, (_, n) => add(`new-${n}`)))
  expect(answers.map(({ status }) => status).sort()).toEqual([303, 303, ...Array(8).fill(409)])
  expect([(await slugs()).length + 1, (await log()).length]).toEqual([MAX_OWN_LINKS, 2])
  const refused = await add('one-more')
  expect([refused.status, refused.text]).toEqual([409, expect.stringContaining('Ask the merchant')])
  expect((await portal.get('/links')).html).not.toContain('name="slug"')
  const manager = await merchant.asManager()
  expect((await manager.post(`/partners/${partnerId}/links`, { slug: 'one-more' })).status).toBe(
    201,
  )
})

test('of eight who want one slug at once, partners, managers and imports, one gets it', async () => {
  const { merchant, partnerId, add, email } = await createLinker()
  const { id } = merchant.workspace
  const bea = await merchant.seed.addPartner(id, merchant.programId, {
    slug: 'bea',
    email: `bea-${email}`,
  })
  const beas = browse(await openSession(`bea-${email}`), inject('baseUrl'), '/portal')
  const [manager, imports] = await Promise.all([merchant.asManager(), importer(merchant)])
  await Promise.all([
    add('prize'),
    beas.post('/links', { program: merchant.programId, slug: 'prize' }),
    manager.patch(`/partners/${partnerId}`, { slug: 'prize' }),
    manager.post(`/partners/${bea}/links`, { slug: 'PRIZE' }),
    add('Prize'),
    manager.patch(`/partners/${bea}`, { slug: 'prize' }),
    imports.partners([{ email: 'c@x.example', slug: 'prize' }]),
    manager.post('/partners', {
      programId: merchant.programId,
      email: 'd@x.example',
      slug: 'prize',
    }),
  ])
  const holders = await database.query(
    `select from partners where program_id = $1 and slug_key = 'prize'
     union all select from links where program_id = $1 and slug_key = 'prize'`,
    [merchant.programId],
  )
  expect(holders).toHaveLength(1)
})

test.each(['cut_before', 'cut_after', 'half', 'shutdown_57P01'] as const)(
  'a link whose answer was lost is added and logged once: %s',
  async (fault) => {
    const { merchant, workspaceId, email, slugs, log } = await createLinker()
    const faulty = await startFaultyDatabase(inject('database').SQL_ENDPOINT)
    try {
      // The programs and the slug are read before the write.
      faulty.plan([workspaceId, email], [null, null, fault])
      const answer = await askAs(
        'portal',
        email,
        '/portal/links',
        {
          method: 'POST',
          headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
          body: new URLSearchParams({ program: merchant.programId, slug: 'ann-2' }).toString(),
        },
        { SQL_ENDPOINT: faulty.url },
      )
      expect([answer.status, faulty.left([workspaceId, email])]).toEqual([303, 0])
      expect(await slugs()).toEqual(['ann-video', 'ann-2'])
      expect(await log()).toHaveLength(1)
    } finally {
      await faulty.stop()
    }
  },
)

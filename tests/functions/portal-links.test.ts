/** The portal's page of links, and the builder that the partner's page shares with it. */
import { expect, inject, test } from 'vitest'
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
  return { ...partner, addLink, portal: browse(await cookie(), inject('baseUrl'), '/portal') }
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

test('a banned partner sees that its links do not work', async () => {
  const { portal } = await createLinker('banned')
  expect((await portal.get('/links')).text).toContain('your links do not work')
})

/** Links of an earlier platform: nobody is mailed that a link works before that is known. */
import { expect, inject, test } from 'vitest'
import { importer } from '../support/imports.ts'
import { createMerchant, send, useDatabase } from '../support/merchant.ts'
import { formsOf, openPages } from '../support/pages.ts'

const database = useDatabase()
const SITE = 'https://shop.example'

const open = async () => {
  const merchant = await createMerchant({ program: { site_url: SITE } })
  const { partners } = await importer(merchant)
  const { id, slug: address } = merchant.workspace
  return {
    merchant,
    partners,
    row: (slug: string, end: string) => ({
      email: `${slug}@${address}.example`,
      slug,
      formerLink: `${SITE}/${end}`,
    }),
    visit: (slug: string, url: string) =>
      send(`${inject('baseUrl')}/api/track/click`, {
        body: { programId: merchant.programId, slug, url },
        headers: { 'CF-Connecting-IP': id, 'User-Agent': 'Mozilla/5.0 Chrome/147.0.0.0' },
      }),
    links: async () =>
      Object.fromEntries(
        (
          await database.query<{ slug: string; link: unknown }>(
            `select p.slug, m.details -> 'formerLink' as link from mails m join partners p on p.id = m.partner_id
             where m.workspace_id = $1 and m.kind = 'moved'`,
            [id],
          )
        ).map(({ slug, link }) => [slug, link]),
      ),
    forms: () =>
      database.query<{ form: string; works: boolean; by: string | null }>(
        'select form, works, confirmed_by as by from link_forms where workspace_id = $1 order by form',
        [id],
      ),
  }
}

const MAIL = { sendWelcomeEmail: true }

test('an import that would mail about links of which nobody knows is refused, and imports nobody', async () => {
  const { partners, row, links, merchant } = await open()
  const rows = [row('ann', '?ref=ann'), row('ben', '?via=ben'), row('cem', 'cem')]
  const refused = await partners(rows, MAIL)
  expect(refused).toMatchObject({ status: 409, body: { error: { code: 'links_unconfirmed' } } })
  expect(JSON.stringify(refused.body)).toContain('?ref (1), / (1)')
  const [left] = await database.query(
    'select from partners where workspace_id = $1 and slug = $2',
    [merchant.workspace.id, 'ann'],
  )
  expect(left).toBeUndefined()

  const dry = await partners(rows, { ...MAIL, dryRun: true })
  expect(dry.body).toMatchObject({
    linkForms: [
      { form: '?ref', links: 1, example: `${SITE}/?ref=ann`, works: null },
      { form: '/', links: 1, example: `${SITE}/cem`, works: null },
    ],
  })

  const said = { ...MAIL, linkForms: { '?ref': true, '/': false } }
  expect((await partners(rows, said)).status).toBe(200)
  expect(await links()).toEqual({
    ann: { url: `${SITE}/?ref=ann`, works: true },
    ben: { url: `${SITE}/?via=ben`, works: true },
    cem: { url: `${SITE}/cem`, works: false },
  })
  const log = (await database.audit(merchant)).filter(
    ({ action }) => action === 'program.links_confirmed',
  )
  expect(log).toMatchObject([{ details: { forms: said.linkForms } }])
  expect((await (await openPages(merchant)).get('/audit')).text).toContain('/: no, ?ref: yes')

  // It is kept, and said once.
  expect((await partners([row('dan', '?ref=dan')], MAIL)).status).toBe(200)
  expect(
    (await partners([row('eva', '?ref=eva')], { ...MAIL, linkForms: { '?ref': true } })).status,
  ).toBe(200)
  expect(
    (await database.audit(merchant)).filter(({ action }) => action === 'program.links_confirmed'),
  ).toHaveLength(1)
})

test('a visit by such a link on the merchant’s site shows that the tag reads it, elsewhere it shows nothing', async () => {
  const { partners, row, visit, links, forms, merchant } = await open()
  const { programId } = merchant
  const rows = [row('ann', '?ref=ann')]
  await merchant.seed.addPartner(merchant.workspace.id, programId, { slug: 'first' })
  expect((await visit('first', 'https://evil.example/?fpr=first')).status).toBe(200)
  expect((await visit('first', `${SITE}/?via=first`)).status).toBe(200)
  expect((await partners(rows, MAIL)).status).toBe(409)
  expect((await visit('first', `${SITE}/a?ref=first`)).status).toBe(200)
  await expect.poll(forms, { timeout: 10_000 }).toEqual([{ form: '?ref', works: true, by: null }])
  expect((await partners(rows, MAIL)).status).toBe(200)
  expect(await links()).toEqual({ ann: { url: `${SITE}/?ref=ann`, works: true } })
})

test('a slug that another partner has makes the old link one that no longer counts', async () => {
  const { partners, row, links, merchant } = await open()
  await merchant.seed.addPartner(merchant.workspace.id, merchant.programId, { slug: 'ann' })
  expect((await partners([row('ann', '?via=ann')], MAIL)).body.summary.slugsRenamed).toBe(1)
  expect(Object.values(await links())).toEqual([{ url: `${SITE}/?via=ann`, works: false }])
})

test.each([
  { case: 'no web address', formerLink: 'javascript:alert(1)' },
  { case: 'two lines', formerLink: 'https://shop.example/\nBcc: x' },
  { case: '2,001 characters', formerLink: `https://shop.example/${'x'.repeat(1_980)}` },
  { case: 'no text', formerLink: 7 },
])('a former link of $case is that row’s error', async ({ formerLink }) => {
  const { partners, row } = await open()
  const { body } = await partners([{ ...row('ann', ''), formerLink }, row('ben', '?via=ben')])
  expect(body.results.map(({ status, code }) => [status, code])).toEqual([
    ['error', 'former_link_invalid'],
    ['created', undefined],
  ])
})

test('“Send We’ve moved” is off until the manager says so, keeps it, and mails old and new link', async () => {
  const { merchant, partners, row, links, forms } = await open()
  await partners([
    row('ann', '?ref=ann'),
    row('ben', 'ben'),
    { ...row('cem', ''), formerLink: null },
  ])
  const rows = await database.query<{ id: string }>(
    `select id from partners where workspace_id = $1 and slug in ('ann', 'ben', 'cem')`,
    [merchant.workspace.id],
  )
  const chosen = Object.fromEntries(rows.map(({ id }) => [`choice-${id}`, 'on']))
  const pages = await openPages(merchant)
  const asked = await pages.post('/partners/moved', chosen)
  expect(asked.text).toContain(`1 link of A program, such as ${SITE}/?ref=ann`)
  expect(asked.text).toContain('data-params="ref"')
  const [confirm] = formsOf(asked.html).filter(({ action }) => action?.endsWith('/moved/send'))
  const sent = await pages.post('/partners/moved/send', { ...confirm?.fields })
  expect([sent.status, sent.text]).toEqual([
    400,
    expect.stringContaining('Say of all links whether they still work'),
  ])
  expect(await links()).toEqual({})

  const { programId } = merchant
  const answers = { [`links ${programId} ?ref`]: 'works', [`links ${programId} /`]: 'stops' }
  expect((await pages.post('/partners/moved/send', { ...chosen, ...answers })).status).toBe(303)
  expect(await links()).toEqual({
    ann: { url: `${SITE}/?ref=ann`, works: true },
    ben: { url: `${SITE}/ben`, works: false },
    cem: null,
  })
  expect((await forms()).map(({ form, works }) => [form, works])).toEqual([
    ['/', false],
    ['?ref', true],
  ])
})

test('another workspace’s words about links do not count, and what is known of a person has its link until it is erased', async () => {
  const [ours, theirs] = [await open(), await open()]
  await theirs.partners([theirs.row('ann', '?ref=ann')], { linkForms: { '?ref': true } })
  expect((await ours.partners([ours.row('ann', '?ref=ann')], MAIL)).status).toBe(409)
  expect((await ours.partners([ours.row('ann', '?ref=ann')])).status).toBe(200)
  const manager = await ours.merchant.asManager()
  const [partner] = await database.query<{ id: string }>(
    `select id from partners where workspace_id = $1 and slug = 'ann'`,
    [ours.merchant.workspace.id],
  )
  expect(
    JSON.stringify((await manager.get(`/partners/${partner?.id}/personal-data`)).body),
  ).toContain('?ref=ann')
  expect((await manager.post(`/partners/${partner?.id}/erase`)).status).toBe(200)
  const [erased] = await database.query('select former_link from partners where id = $1', [
    partner?.id,
  ])
  expect(erased).toEqual({ former_link: null })
})

test('a partner who is imported with the mail and banned before it is sent gets none', async () => {
  const { merchant, partners, row } = await open()
  // The workspace holds its mails, so that none is sent meanwhile.
  await database.query('update workspaces set trusted_at = null where id = $1', [
    merchant.workspace.id,
  ])
  await partners([row('ann', '?via=ann')], MAIL)
  const [partner] = await database.query<{ id: string }>(
    `select id from partners where workspace_id = $1 and slug = 'ann'`,
    [merchant.workspace.id],
  )
  const manager = await merchant.asManager()
  expect((await manager.patch(`/partners/${partner?.id}`, { status: 'banned' })).status).toBe(200)
  const [mail] = await database.query(
    'select status, last_error as why from mails where partner_id = $1',
    [partner?.id],
  )
  expect(mail).toEqual({ status: 'failed', why: 'Not sent: the partner was banned.' })
})

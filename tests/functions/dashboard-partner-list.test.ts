/**
 * The list of partners: what each has brought, in any order, and what is changed of many at once.
 */
import { describe, expect, test } from 'vitest'
import { PARTNER_SORTS } from '../../lib/partners/lists/partners.schemas.ts'
import { fold } from '../support/fold.ts'
import { createMerchant, type Merchant, useDatabase } from '../support/merchant.ts'
import { fieldsOf, openPages } from '../support/pages.ts'
import { everyNth } from '../support/thorough.ts'
import { untilSaved } from '../support/until-available.ts'

const database = useDatabase()

/** A merchant whose partners differ in every figure. */
const createBusy = async () => {
  const merchant = await createMerchant({ group: {} })
  const { seed, workspace, programId, partnerId: maya } = merchant
  const add = (slug: string) => seed.addPartner(workspace.id, programId, { slug })
  const [leo, zoe] = [await add('leo'), await add('zoe')]
  const clicks = { maya: await merchant.click(), leo: await merchant.click('leo') }
  await merchant.click('leo', programId, crypto.randomUUID())
  const sales = [
    { clickId: clicks.maya, externalId: 'a', customerExternalId: 'x', amountCents: 10_000 },
    { clickId: clicks.maya, externalId: 'b', customerExternalId: 'x', amountCents: 2_500 },
    {
      clickId: clicks.leo,
      externalId: 'c',
      customerExternalId: 'y',
      amountCents: 99_900,
      currency: 'EUR',
    },
  ]
  await untilSaved(() => merchant.lead({ clickId: clicks.leo }))
  for (const sale of sales) await untilSaved(() => merchant.sale(sale))
  await untilSaved(() => merchant.refund({ saleExternalId: 'b', amountCents: 500 }))
  return { merchant, maya, leo, zoe }
}

/** The cells of a partner's row. */
const rowOf = (html: string, id: string): string[] => {
  const row = html.split('<tr').find((part) => part.includes(`/partners/${id}"`)) ?? ''
  return (row.split('</tr>')[0] ?? '')
    .split(/<td/)
    .slice(1)
    .map((cell) =>
      cell
        .replace(/^[^>]*>/, '')
        .replace(/<\/?(div|small|input)[^>]*>/g, ' ')
        .replace(/<[^>]+>/g, '')
        .replace(/\s+/g, ' ')
        .trim(),
    )
}

/** The partners in the order of the page. */
const orderOf = (html: string): string[] =>
  [...html.matchAll(/<td [^>]*class="name"[^>]*><a href="[^"]*\/partners\/([^"]+)"/g)].map(
    ([, id]) => id ?? '',
  )

const sound = async ({ workspace }: Merchant) =>
  expect(await database.violations(workspace.id)).toEqual([])

describe('the list of partners', () => {
  test('says what each has brought, before and after the totals are folded', async () => {
    const { merchant, maya, leo, zoe } = await createBusy()
    const today = new Date().toISOString().slice(0, 10)
    for (const isFolded of [false, true]) {
      if (isFolded) await fold(database, merchant)
      const { html } = await (await openPages(merchant)).get('/partners')
      const [, named, ...figures] = rowOf(html, maya)
      expect(named).toContain('maya@partner.example')
      expect(figures).toEqual(['1', '0', '1', '2', '125.00 USD', '24.00 USD', '24.00 USD', today])
      expect(rowOf(html, leo).slice(2)).toEqual([
        '2',
        '1',
        '2',
        '1',
        '999.00 EUR',
        '199.80 EUR',
        '199.80 EUR',
        today,
      ])
      expect(rowOf(html, zoe).slice(2)).toEqual(['0', '0', '0', '0', '', '', '', ''])
      await sound(merchant)
    }
  })

  test.each(everyNth(2, PARTNER_SORTS))(
    'by %s has each partner once, in both orders, page by page',
    { tags: 'sampled' },
    async (sort) => {
      const { merchant, maya, leo, zoe } = await createBusy()
      await fold(database, merchant)
      const pages = await openPages(merchant)
      const walk = async (order: string) => {
        const seen: string[] = []
        let next: string | undefined = `/partners?sort=${sort}&order=${order}&limit=1`
        while (next) {
          const { status, html } = await pages.get(next)
          expect(status).toBe(200)
          seen.push(...orderOf(html))
          next = /rel="next" href="\/app\/[^/]+([^"]+)"/.exec(html)?.[1]?.replaceAll('&amp;', '&')
        }
        return seen
      }
      const down = await walk('desc')
      expect(down.toSorted()).toEqual([maya, leo, zoe].toSorted())
      expect(await walk('asc')).toEqual(down.toReversed())
      const best = {
        newest: [zoe, leo, maya],
        name: [zoe, maya, leo],
        clicks: [leo, maya, zoe],
        leads: [leo, zoe, maya],
        customers: [leo, maya, zoe],
        sales: [maya, leo, zoe],
        // In USD, which most sales are in.
        revenue: [maya, zoe, leo],
        earned: [maya, zoe, leo],
        unpaid: [maya, zoe, leo],
        active: [leo, maya, zoe],
      }
      expect(down).toEqual(best[sort])
    },
  )

  test('compares amounts in the currency chosen, and links each heading to the other order', async () => {
    const { merchant, leo } = await createBusy()
    await fold(database, merchant)
    const { html } = await (await openPages(merchant)).get(
      '/partners?sort=revenue&currency=eur&status=approved',
    )
    expect(orderOf(html)[0]).toBe(leo)
    expect(html).toMatch(
      /aria-sort="descending"><a class="sort" href="[^"]*sort=revenue&amp;[^"]*order=asc"/,
    )
    expect(html).toContain(`/export/partners.csv?status=approved"`)
  })

  test('goes on in the currency in which it began, also if most sales are in another one by then', async () => {
    const { merchant, maya, leo, zoe } = await createBusy()
    await fold(database, merchant)
    const pages = await openPages(merchant)
    const seen: string[] = []
    for (let next: string | undefined = '/partners?sort=revenue&limit=1'; next; ) {
      const { html } = await pages.get(next)
      seen.push(...orderOf(html))
      next = /rel="next" href="\/app\/[^/]+([^"]+)"/.exec(html)?.[1]?.replaceAll('&amp;', '&')
      for (const id of ['d', 'e', 'f']) {
        const clickId = await merchant.click('leo')
        const sale = {
          externalId: `${id}${seen.length}`,
          customerExternalId: 'y',
          currency: 'EUR',
          clickId,
        }
        await untilSaved(() => merchant.sale(sale))
      }
      await fold(database, merchant)
    }
    expect(seen).toEqual([maya, zoe, leo])
  })

  test('of an unknown column is refused', async () => {
    const { merchant } = await createBusy()
    const pages = await openPages(merchant)
    for (const query of ['sort=__proto__', 'sort=clicks&order=up', 'currency=%00', 'cursor=1'])
      expect((await pages.get(`/partners?${query}`)).status).toBe(400)
  })

  test('goes on from a partner with any figure that a link may have', async () => {
    const { merchant, maya } = await createBusy()
    const pages = await openPages(merchant)
    const statusOf = async (sort: string, figure: string) =>
      (await pages.get(`/partners?sort=${sort}&cursor=${maya}${figure}`)).status
    for (const sort of PARTNER_SORTS)
      for (const figure of ['', '_3', '_-3', '_999999999999999999', '_2026-11-27', '_-infinity'])
        expect({ sort, figure, status: await statusOf(sort, figure) }).toEqual({
          sort,
          figure,
          status: 200,
        })
    for (const figure of [
      '_',
      '_x',
      '_1_2',
      '_1e9',
      '_9999999999999999999',
      '_2026-02-30',
      '_0000-01-01',
    ])
      expect({ figure, status: await statusOf('active', figure) }).toEqual({ figure, status: 400 })
  })
})

describe('a partner’s page', () => {
  test('has its figures of a period, beside the one before, and what managers changed of it', async () => {
    const { merchant, maya, leo } = await createBusy()
    await database.query(
      `update clicks set created_at = created_at - interval '9 days' where partner_id = $1`,
      [leo],
    )
    const pages = await openPages(merchant)
    const shown = await pages.get(`/partners/${maya}?days=7`)
    expect(shown.text).toMatch(
      /Revenue \$125\.00 .* Commissions \$24\.00 .* Sales 2 .* New customers 1 .* Clicks 1/,
    )
    expect((await pages.get(`/partners/${leo}?days=7`)).text).toMatch(/Clicks 0 .*before: 2/)
    expect((await pages.get(`/partners/${leo}`)).text).toMatch(/Clicks 2/)

    expect(shown.text).toContain('No manager has changed anything of this partner.')
    await pages.post(`/partners/${maya}/status`, { status: 'banned' })
    const words = 'changed the partner maya@partner.example: status from approved to banned'
    expect((await pages.get(`/partners/${maya}`)).text).toContain(words)
    expect((await pages.get(`/partners/${leo}`)).text).not.toContain('status from')
    expect((await pages.get(`/audit?subjectId=${maya}`)).text).toContain(words)
    expect((await pages.get(`/audit?subjectId=${leo}`)).text).toContain('No entries yet.')
    expect((await pages.get('/audit?subjectId=x')).status).toBe(400)
    const theirs = await openPages(await createMerchant())
    expect((await theirs.get(`/audit?subjectId=${maya}`)).text).toContain('No entries yet.')
    const member = await openPages(merchant, 'member')
    expect((await member.get(`/partners/${maya}`)).text).not.toContain('status from')
  })
})

describe('changing many partners', () => {
  const chosen = (...ids: string[]) => Object.fromEntries(ids.map((id) => [`choice-${id}`, 'on']))
  const statuses = async ({ workspace }: Merchant) =>
    Object.fromEntries(
      (
        await database.query<{ slug: string; status: string; name: string | null }>(
          `select p.slug, p.status, g.name from partners p left join groups g on g.id = p.group_id where p.workspace_id = $1`,
          [workspace.id],
        )
      ).map(({ slug, status, name }) => [slug, name ? `${status} in ${name}` : status]),
    )
  const entries = async ({ workspace }: Merchant) =>
    database.query<{ subject_id: string; details: unknown }>(
      `select subject_id, details - 'email' as details from audit_entries where workspace_id = $1 and action = 'partner.changed' order by id`,
      [workspace.id],
    )

  test('is confirmed, changes those alone to whom it makes a difference, and is in the audit log', async () => {
    const { merchant, maya, leo } = await createBusy()
    const pages = await openPages(merchant)
    const asked = await pages.post('/partners/change', { ...chosen(maya, leo), change: 'banned' })
    expect(asked.status).toBe(200)
    expect(asked.text).toContain('Ban 2 partners?')
    expect((await statuses(merchant)).maya).toMatch(/^approved/)

    const done = await pages.post('/partners/change/confirm', {
      ...chosen(maya, leo),
      change: 'banned',
    })
    expect(done).toMatchObject({
      status: 303,
      location: expect.stringMatching(/\/partners\?done=banned$/),
    })
    const after = { maya: expect.stringMatching(/^banned/), leo: 'banned', zoe: 'approved' }
    expect(await statuses(merchant)).toEqual(after)
    const late = { externalId: 'late', clickId: await merchant.click('zoe') }
    await untilSaved(() => merchant.lead(late))

    const again = await pages.post('/partners/change/confirm', {
      ...chosen(maya, leo),
      change: 'banned',
    })
    expect(again.status).toBe(303)
    const status = { status: { from: 'approved', to: 'banned' } }
    expect((await entries(merchant)).map(({ details }) => details)).toEqual([status, status])
    expect(
      (await pages.post('/partners/change', { ...chosen(maya), change: 'banned' })).text,
    ).toContain('they are banned already')
    await sound(merchant)
  })

  test('a group takes the partners of its program, and sales from then on earn by it', async () => {
    const { merchant, leo, zoe } = await createBusy()
    const { seed, workspace } = merchant
    const gold = await seed.addGroup(workspace.id, merchant.programId, {})
    const second = await seed.addProgram(workspace.id)
    const eve = await seed.addPartner(workspace.id, second, { slug: 'eve' })
    const pages = await openPages(merchant)
    const move = { ...chosen(leo, zoe, eve), change: 'group', toGroup: gold }
    expect((await pages.post('/partners/change', move)).text).toMatch(/Move 2 partners to “.+”\?/)
    expect((await pages.post('/partners/change/confirm', move)).status).toBe(303)
    const groups = await database.query(
      `select id from partners where group_id = $1 order by slug`,
      [gold],
    )
    expect(groups.map(({ id }) => id)).toEqual([leo, zoe])

    await pages.post('/partners/change/confirm', {
      ...chosen(leo, zoe, eve),
      change: 'group',
      toGroup: 'none',
    })
    expect(await database.query(`select id from partners where group_id = $1`, [gold])).toEqual([])
    await sound(merchant)
  })

  test('another workspace’s partners and groups, members, and forms without a choice change nothing', async () => {
    const [{ merchant, maya }, theirs] = [await createBusy(), await createBusy()]
    const pages = await openPages(merchant)
    const before = [await statuses(merchant), await statuses(theirs.merchant)]
    const foreign = await database.query<{ id: string }>(
      'select id from groups where workspace_id = $1',
      [theirs.merchant.workspace.id],
    )
    const group = { change: 'group', toGroup: foreign[0]?.id ?? '' }
    expect(
      (await pages.post('/partners/change/confirm', { ...chosen(maya), ...group })).status,
    ).toBe(303)
    const ban = { ...chosen(theirs.maya), change: 'banned' }
    expect((await pages.post('/partners/change', ban)).text).toContain('Nothing to change')
    expect((await pages.post('/partners/change/confirm', ban)).status).toBe(303)
    const member = await openPages(merchant, 'member')
    for (const path of ['/partners/change', '/partners/change/confirm']) {
      expect((await member.post(path, { ...chosen(maya), change: 'banned' })).status).toBe(403)
      const many = Array.from({ length: 501 }, () => crypto.randomUUID())
      for (const fields of [
        {},
        chosen(maya),
        chosen(...many),
        { ...chosen('1'), change: 'banned' },
      ])
        expect((await pages.post(path, { change: 'deleted', ...fields })).status).toBe(400)
    }
    expect([await statuses(merchant), await statuses(theirs.merchant)]).toEqual(before)
  })
})

describe('downloading many partners', () => {
  const chosen = (...ids: string[]) => Object.fromEntries(ids.map((id) => [`choice-${id}`, 'on']))

  test('sends the columns of the whole list for those alone, and is in the audit log', async () => {
    const { merchant, maya, leo } = await createBusy()
    const pages = await openPages(merchant)
    expect((await pages.get('/partners')).html).toContain(
      `formaction="/app/${merchant.workspace.slug}/partners/export"`,
    )
    const { status, headers, html } = await pages.post('/partners/export', chosen(maya, leo))
    expect(status).toBe(200)
    expect(headers.get('Content-Type')).toBe('text/csv; charset=utf-8')
    expect(headers.get('Content-Disposition')).toBe('attachment; filename="partners.csv"')
    const [head, ...rows] = html.trim().split('\r\n')
    const whole = await (await merchant.asManager()).get('/export/partners.csv')
    expect(head).toBe(String(whole.body.text).split('\r\n')[0])
    expect(rows.map((row) => row.split(',')[0])).toEqual([`"${leo}"`, `"${maya}"`])
    expect(await database.audit(merchant)).toMatchObject([
      { action: 'list.exported', details: { list: 'partners', filter: { chosen: 2 } } },
      { action: 'list.exported', details: { list: 'partners', filter: {} } },
    ])
    expect((await pages.get('/audit')).text).toContain('downloaded the list of partners: 2 chosen')
  })

  test('leaves out another workspace’s partners, and needs a manager and a choice', async () => {
    const [{ merchant, maya }, theirs] = [await createBusy(), await createBusy()]
    const pages = await openPages(merchant)
    const { html } = await pages.post('/partners/export', chosen(maya, theirs.maya))
    expect(html).toContain(maya)
    expect(html).not.toContain(theirs.maya)
    const member = await openPages(merchant, 'member')
    expect((await member.post('/partners/export', chosen(maya))).status).toBe(403)
    const many = Array.from({ length: 501 }, () => crypto.randomUUID())
    for (const fields of [{}, chosen('1'), chosen(...many)])
      expect((await pages.post('/partners/export', fields)).status).toBe(400)
    expect(await database.audit(theirs.merchant)).toEqual([])
  })
})

describe('adding a partner', () => {
  const partnersOf = ({ workspace }: Merchant) =>
    database.query(
      `select p.email, p.slug, count(m.id)::int as mails, max(m.kind) as kind
       from partners p left join mails m on m.partner_id = p.id where p.workspace_id = $1 group by p.id order by p.id`,
      [workspace.id],
    )

  test('creates one with its mail, however often the form is sent, and says why it can’t', async () => {
    const merchant = await createMerchant()
    const pages = await openPages(merchant)
    const { html } = await pages.get('/partners/new')
    const fields = { ...fieldsOf(html), email: 'Ann@partner.example', name: 'Ann Lee', slug: 'ann' }
    const added = await pages.post('/partners/new', fields)
    expect(added).toMatchObject({ status: 303, location: expect.stringMatching(/\?done=created$/) })
    const repeat = await pages.post('/partners/new', fields)
    expect(repeat.location).toBe(added.location?.replace('created', 'exists'))
    expect(await partnersOf(merchant)).toEqual([
      { email: 'maya@partner.example', slug: 'maya', mails: 0, kind: null },
      { email: 'ann@partner.example', slug: 'ann', mails: 1, kind: 'welcome' },
    ])

    const taken = await pages.post('/partners/new', { ...fields, email: 'other@partner.example' })
    expect(taken.status).toBe(409)
    expect(taken.text).toContain('Another partner of this program has the slug "ann".')
    expect(taken.html).toContain('value="other@partner.example"')
    for (const wrong of [
      { email: 'no address' },
      { programId: 'x' },
      { groupId: 'x' },
      { slug: 'x'.repeat(300) },
    ])
      expect((await pages.post('/partners/new', { ...fields, ...wrong })).status).toBe(400)
    const foreign = { ...fields, email: 'b@x.example', slug: 'b', programId: crypto.randomUUID() }
    expect((await pages.post('/partners/new', foreign)).status).toBe(409)
    expect(await partnersOf(merchant)).toHaveLength(2)
    expect((await (await openPages(merchant, 'member')).post('/partners/new', fields)).status).toBe(
      403,
    )
  })
})

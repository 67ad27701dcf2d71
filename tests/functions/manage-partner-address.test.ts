/**
 * A manager corrects a partner's address: the person keeps what it has, and nobody can take it
 * over.
 */
import { describe, expect, inject, test } from 'vitest'
import { connect } from '../../lib/db/connection.ts'
import { chosenQuery } from '../../lib/partners/changes/change-partners.queries.ts'
import { importer } from '../support/imports.ts'
import { createMerchant, errorShape, useDatabase } from '../support/merchant.ts'
import { browse, openPages } from '../support/pages.ts'
import { openSession } from '../support/people.ts'
import { addPayout, createPartner } from '../support/portal.ts'

const database = useDatabase()

/** The partner "ann" under an address that is wrong. */
const createWronged = async () => {
  const partner = await createPartner()
  const { merchant, partnerId, workspaceId } = partner
  const manager = await merchant.asManager()
  const right = `right-${partner.email}`
  return {
    ...partner,
    manager,
    right,
    correct: (email = right) => manager.patch(`/partners/${partnerId}`, { email }),
    /** A connected account, and a payout on its way. */
    pay: () => addPayout(database, partner, 980),
    mails: () =>
      database.query<{ kind: string; recipient: string }>(
        'select kind, recipient from mails where workspace_id = $1 order by id',
        [workspaceId],
      ),
    asKey: async () => {
      const { body } = await manager.post('/api-keys', { name: 'CRM', scopes: ['write', 'read'] })
      return merchant.withHeaders({ Authorization: `Bearer ${body.key}` })
    },
  }
}

test('before anything is earned, an address is corrected without a mail, and the unsent one goes to the new address', async () => {
  const {
    merchant,
    manager,
    email: wrong,
    right,
    correct,
    partnerId,
    workspaceId,
    mails,
  } = await createWronged()
  await database.query(
    `insert into mails (id, workspace_id, kind, recipient, partner_id, details, created_at, next_attempt_at)
     values (uuidv7(), $1, 'moved', $2, $3, '{}', now(), now() + interval '1 day')`,
    [workspaceId, wrong, partnerId],
  )
  const corrected = await correct(` ${right.toUpperCase()} `)
  expect([corrected.status, corrected.body.email, corrected.body.slug]).toEqual([200, right, 'ann'])
  expect(await mails()).toEqual([{ kind: 'moved', recipient: right }])
  expect((await database.audit(merchant)).at(-1)).toMatchObject({
    actor: `manager@${merchant.workspace.slug}.example`,
    action: 'partner.address_changed',
    subject_id: partnerId,
    details: { from: wrong, to: right },
  })
  const portal = browse(await openSession(right), undefined, '/portal')
  expect((await portal.get('')).text).toContain('https://shop.example/?via=ann')
  const former = browse(await openSession(wrong), undefined, '/portal')
  expect((await former.get('')).text).not.toContain('via=ann')
  // The same again changes nothing.
  expect((await correct()).status).toBe(200)
  expect(
    (await database.audit(merchant)).filter(({ action }) => action === 'partner.address_changed'),
  ).toHaveLength(1)
  expect((await manager.get(`/partners?email=${right}`)).body.data).toHaveLength(1)
})

test('a corrected import, of the old or the new address, finds the partner and its balance', async () => {
  const { merchant, email: wrong, right, correct, workspaceId } = await createWronged()
  const imports = await importer(merchant)
  await correct()
  for (const email of [wrong, right]) {
    const { body } = await imports.partners([{ email, slug: 'ann', openingBalanceCents: 500 }], {
      importOpeningBalances: true,
    })
    expect(body).toMatchObject({ summary: { created: 0, skippedExisting: 1 } })
  }
  expect(
    await database.query(`select email from partners where workspace_id = $1 and slug <> 'maya'`, [
      workspaceId,
    ]),
  ).toEqual([{ email: right }])
})

test('account and payouts move along in all programs of the workspace, in no other one, and the old address is notified', async () => {
  const { merchant, email: wrong, right, correct, pay, workspaceId, mails } = await createWronged()
  const second = await merchant.seed.addProgram(workspaceId)
  await merchant.seed.addPartner(workspaceId, second, { slug: 'ann', email: wrong })
  const elsewhere = await createPartner()
  await database.query('update partners set email = $2 where id = $1', [elsewhere.partnerId, wrong])
  await pay()
  expect((await correct()).status).toBe(200)
  expect(
    await database.query(
      'select email, count(*)::int as programs from partners where email in ($1, $2) group by 1 order by 1',
      [wrong, right],
    ),
  ).toEqual([
    { email: wrong, programs: 1 },
    { email: right, programs: 2 },
  ])
  expect(
    await database.query('select email from payout_accounts where workspace_id = $1', [
      workspaceId,
    ]),
  ).toEqual([{ email: right }])
  const portal = browse(await openSession(right), undefined, '/portal')
  expect((await portal.get('/payouts')).text).toContain('$9.80')
  expect(await mails()).toEqual([{ kind: 'address_changed', recipient: wrong }])
  expect(
    (await database.violations(workspaceId)).filter(({ invariant }) =>
      invariant.includes('account'),
    ),
  ).toEqual([])
})

describe('whoever is paid', () => {
  test('can’t be given another address by an API key, or by a session of yesterday', async () => {
    const {
      merchant,
      email: wrong,
      right,
      partnerId,
      pay,
      asKey,
      manager,
      workspaceId,
    } = await createWronged()
    await pay()
    const key = await asKey()
    const refused = await key.patch(`/partners/${partnerId}`, { email: right, name: 'Ann' })
    expect(refused).toMatchObject({ status: 403, body: errorShape('fresh_sign_in_required') })
    await database.query(
      `update sign_in.sessions s set created_at = now() - interval '13 hours' from sign_in.users u
       where u.id = s.user_id and u.email = $1`,
      [`manager@${merchant.workspace.slug}.example`],
    )
    expect((await manager.patch(`/partners/${partnerId}`, { email: right })).status).toBe(403)
    const pages = await openPages(merchant)
    expect((await pages.post(`/partners/${partnerId}/address`, { email: right })).status).toBe(403)
    expect(
      await database.query(
        `select email, name from partners where workspace_id = $1 and slug = 'ann'`,
        [workspaceId],
      ),
    ).toEqual([{ email: wrong, name: null }])
  })

  test('but whoever has earned nothing can, by both', async () => {
    const { partnerId, right, asKey } = await createWronged()
    expect((await (await asKey()).patch(`/partners/${partnerId}`, { email: right })).status).toBe(
      200,
    )
  })

  test('does not become one person with somebody else who is paid', async () => {
    const { merchant, right, correct, pay, workspaceId } = await createWronged()
    await pay()
    const second = await merchant.seed.addProgram(workspaceId)
    await merchant.seed.addPartner(workspaceId, second, { slug: 'ann', email: right })
    await database.query(
      `insert into payees (workspace_id, email, name, updated_at) values ($1, $2, 'Ann', now())`,
      [workspaceId, right],
    )
    expect(await correct()).toMatchObject({ status: 409, body: errorShape('conflict') })
    await database.query('delete from payees where workspace_id = $1', [workspaceId])
    expect((await correct()).status).toBe(200)
  })
})

test('an address of another partner of the program is refused, and nothing else of the request is done', async () => {
  const { manager, merchant, partnerId } = await createWronged()
  const refused = await manager.patch(`/partners/${partnerId}`, {
    email: 'bea@x.example',
    slug: 'ann-2',
  })
  expect(refused.status).toBe(200)
  await merchant.seed.addPartner(merchant.workspace.id, merchant.programId, {
    slug: 'cal',
    email: 'cal@x.example',
  })
  const taken = await manager.patch(`/partners/${partnerId}`, {
    email: 'cal@x.example',
    slug: 'ann-3',
    name: 'Ann',
  })
  expect(taken).toMatchObject({ status: 409, body: errorShape('conflict') })
  expect((await manager.get(`/partners/${partnerId}`)).body).toMatchObject({
    email: 'bea@x.example',
    slug: 'ann-2',
    name: null,
  })
})

test('an erased partner gets no address again', async () => {
  const { manager, partnerId, correct } = await createWronged()
  expect((await manager.post(`/partners/${partnerId}/erase`)).status).toBeLessThan(300)
  expect(await correct()).toMatchObject({ status: 409, body: errorShape('conflict') })
})

test('of eight corrections at once, to two addresses, the partner ends at one of them, with its account', async () => {
  const { right, correct, pay, partnerId, workspaceId } = await createWronged()
  await pay()
  const answers = await Promise.all(
    Array.from({ length: 8 }, (_, index) => correct(index % 2 ? right : `other-${right}`)),
  )
  for (const { status } of answers) expect([200, 503]).toContain(status)
  const [row] = await database.query<{ partner: string; account: string }>(
    `select p.email as partner, a.email as account from partners p
     join payout_accounts a on a.workspace_id = p.workspace_id where p.id = $1`,
    [partnerId],
  )
  expect([right, `other-${right}`]).toContain(row?.partner)
  expect(row?.account).toBe(row?.partner)
  expect(workspaceId).toBeTruthy()
})

test('a manager corrects it on the partner’s page, where a taken address is said at the field', async () => {
  const { merchant, partnerId, right } = await createWronged()
  const pages = await openPages(merchant)
  const at = `/partners/${partnerId}`
  await merchant.seed.addPartner(merchant.workspace.id, merchant.programId, {
    slug: 'cal',
    email: 'cal@x.example',
  })
  const refused = await pages.post(`${at}/address`, { email: 'cal@x.example' })
  expect([refused.status, refused.text]).toEqual([
    409,
    expect.stringContaining('Another partner of this program has this address.'),
  ])
  const corrected = await pages.post(`${at}/address`, { email: right })
  expect([corrected.status, corrected.location]).toEqual([
    303,
    expect.stringContaining('done=moved'),
  ])
  expect((await pages.get(at)).text).toContain(right)
  expect(
    (await (await openPages(merchant, 'member')).post(`${at}/address`, { email: right })).status,
  ).toBe(403)
})

test('a partner who was erased is not approved again: it would earn, and nobody could be paid', async () => {
  const merchant = await createMerchant()
  const manager = await merchant.asManager()
  const clickId = await merchant.click()
  const path = `/partners/${merchant.partnerId}`
  expect((await manager.post(`${path}/erase`, {})).status).toBe(200)

  const refused = await manager.patch(path, { status: 'approved' })
  expect([refused.status, refused.body.error?.code]).toEqual([409, 'conflict'])
  expect(refused.body.error?.message).toContain('personal data was erased')
  expect((await manager.get(path)).body).toMatchObject({ status: 'banned' })
  // Nor with others, from the list.
  const chosen = chosenQuery(connect(inject('database')), merchant.workspace.id, [
    merchant.partnerId,
  ])
  expect(await chosen.execute()).toEqual([])
  // Its customers' sales are nobody's.
  expect((await merchant.sale({ clickId })).body.attributed).toBe(false)
})

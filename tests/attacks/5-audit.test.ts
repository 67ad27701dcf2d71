/** Somebody moves money, and wants that nobody notices: the audit log has it, keeps it, and those concerned are mailed. */
import { describe, expect, test } from 'vitest'
import { createMerchant, useDatabase } from '../support/merchant.ts'
import { createPartner } from '../support/portal.ts'

const database = useDatabase()

describe('the entries', () => {
  test.each([
    ['its actor', "update audit_entries set actor = 'bob@shop.example'"],
    ['its action', "update audit_entries set action = 'coupon.added'"],
    ['what it is about', 'update audit_entries set subject_id = null'],
    ['its details', "update audit_entries set details = '{}'"],
    ['its time', "update audit_entries set created_at = created_at - interval '1 year'"],
    ['its workspace', 'update audit_entries set workspace_id = gen_random_uuid()'],
    ['it', 'delete from audit_entries'],
  ])('nobody with access to the tables can change %s', async (_what, statement) => {
    const merchant = await createMerchant()
    await (await merchant.asManager()).post('/api-keys', { name: 'mine' })
    const before = await database.audit(merchant)
    expect(before).toMatchObject([{ action: 'api_key.created' }])
    await expect(
      database.query(`${statement} where workspace_id = $1`, [merchant.workspace.id]),
    ).rejects.toThrow('never changed or deleted')
    expect(await database.audit(merchant)).toEqual(before)
  })

  test('an erasure replaces addresses, and nothing else of an entry', async () => {
    const partner = await createPartner()
    const { merchant, email, partnerId, workspaceId } = partner
    const manager = await merchant.asManager()
    await manager.patch(`/partners/${partnerId}`, { name: 'Ann' })
    await database.query(
      `insert into audit_entries (id, workspace_id, actor, action, subject_id, details, created_at)
       values (uuidv7(), $1, $2, 'payout_account.connected', null, '{"stripeAccountId": "acct_1"}', now())`,
      [workspaceId, email],
    )
    const rows = () =>
      database.query(
        `select id, actor, action, subject_id, details, created_at from audit_entries where workspace_id = $1 order by id`,
        [workspaceId],
      )
    const [changed, connected] = await rows()
    expect(changed).toMatchObject({ action: 'partner.changed', details: { email } })
    expect((await manager.post(`/partners/${partnerId}/erase`)).status).toBe(200)
    const marker = `erased-${partnerId}@erased.invalid`
    const after = await rows()
    expect(after.slice(0, 2)).toEqual([
      { ...changed, details: { email: marker } },
      { ...connected, actor: marker },
    ])
    expect(after.slice(2)).toMatchObject([{ action: 'partner.erased' }])
  })

  test('a manager who has herself erased as a partner is still named in what she did as a manager', async () => {
    const merchant = await createMerchant()
    const manager = await merchant.asManager()
    const eve = `eve@${merchant.workspace.slug}.example`
    await manager.post('/members', { email: eve, role: 'manager' })
    await database.query(
      `insert into audit_entries (id, workspace_id, actor, action, details, created_at)
       values (uuidv7(), $1, $2, 'payout_run.begun', '{"method": "manual"}', now())`,
      [merchant.workspace.id, eve],
    )
    const partnerId = await merchant.seed.addPartner(merchant.workspace.id, merchant.programId, {
      slug: 'eve',
      email: eve,
    })
    const before = await database.audit(merchant)
    expect((await manager.post(`/partners/${partnerId}/erase`)).status).toBe(200)
    expect((await database.audit(merchant)).slice(0, before.length)).toEqual(before)
  })

  test('an erasure cannot put one person in the place of another', async () => {
    const merchant = await createMerchant()
    await expect(
      database.query(
        `select erase_from_audit($1, array[gen_random_uuid()], '{eve@evil.example}', '{bob@shop.example}')`,
        [merchant.workspace.id],
      ),
    ).rejects.toThrow('erased-')
  })
})

/** Coupon aliases: which partner a coupon of the payment processor credits. Spec, section 4.5. */
import { type SqlBool, sql } from 'kysely'
import { type Act, auditEntry } from '../../audit/audit.queries.ts'
import type { Db } from '../../db/connection.ts'
import { idOf } from '../../db/ids.ts'
import { breaks, isConflict } from '../../db/neon.ts'
import type { PageRequest } from '../../db/page-request.ts'
import { partnersStay } from '../../imports/undone.queries.ts'

/** A coupon or promotion code, and the text by which people know it. */
export type Coupon = { couponId: string; couponLabel: string | null }

export type CouponRow = Awaited<ReturnType<typeof listCoupons>>[number]

/** The coupon aliases of a partner, newest first. */
export const listCoupons = (
  db: Db,
  workspaceId: string,
  partnerId: string,
  { cursor, limit }: PageRequest,
) => {
  const aliases = selectAliases(db, workspaceId)
    .where('a.partner_id', '=', partnerId)
    .orderBy('a.id', 'desc')
    .limit(limit)
  return (cursor ? aliases.where('a.id', '<', cursor) : aliases).execute()
}

const selectAliases = (db: Db, workspaceId: string) =>
  db
    .selectFrom('coupon_aliases as a')
    .where('a.workspace_id', '=', workspaceId)
    .select([
      'a.id',
      'a.coupon_id as couponId',
      'a.label as couponLabel',
      'a.partner_id as partnerId',
    ])

export type CouponAddition =
  | { outcome: 'added' | 'already_added'; coupon: CouponRow }
  /** The holder is null if it released the coupon meanwhile. */
  | { outcome: 'taken'; holder: { id: string; slug: string } | null }

/** The partner, and the result if the coupon has a holder. */
const findHolder = async (db: Db, act: Act, partnerId: string, couponId: string) => {
  const { workspaceId } = act
  const [[partner], [alias]] = await db.batch([
    db
      .selectFrom('partners')
      .where('workspace_id', '=', workspaceId)
      .where('id', '=', partnerId)
      .where('undone_at', 'is', null)
      .select(['id', 'email'])
      .compile(),
    selectAliases(db, workspaceId)
      .where('a.coupon_id', '=', couponId)
      .innerJoin('partners as p', 'p.id', 'a.partner_id')
      .select('p.slug')
      .compile(),
  ])
  const held: CouponAddition | undefined =
    alias &&
    (alias.partnerId === partner?.id
      ? // A repeat with an Idempotency-Key finds its own alias.
        { outcome: alias.id === idOf(act) ? 'added' : 'already_added', coupon: alias }
      : { outcome: 'taken', holder: { id: alias.partnerId, slug: alias.slug } })
  return { partner, held }
}

/**
 * Adds a coupon to a partner, unless another partner has it. Only a manager moves an alias. A
 * unique constraint serializes concurrent requests.
 *
 * @param partnerId a UUID
 * @returns undefined if the workspace has no such partner
 */
export const addCoupon = async (
  db: Db,
  act: Act,
  partnerId: string,
  coupon: Coupon,
): Promise<CouponAddition | undefined> => {
  const { workspaceId, now } = act
  const { partner, held } = await findHolder(db, act, partnerId, coupon.couponId)
  if (!partner || held) return partner && held

  const alias = { id: idOf(act), partnerId: partner.id, ...coupon }
  try {
    await db.batch([
      partnersStay([partner.id], 'key share').compile(db),
      db
        .insertInto('coupon_aliases')
        .values({
          id: alias.id,
          workspace_id: workspaceId,
          partner_id: partner.id,
          coupon_id: coupon.couponId,
          label: coupon.couponLabel,
          created_at: now,
        })
        .onConflict((conflict) => conflict.column('id').doNothing())
        .compile(),
      auditEntry(db, {
        ...act,
        action: 'coupon.added',
        subjectId: partner.id,
        details: { email: partner.email, ...coupon },
      }).compile(),
    ])
    return { outcome: 'added', coupon: alias }
  } catch (error) {
    if (isConflict(error)) return undefined
    if (!breaks(error, 'coupon_aliases_workspace_id_coupon_id_key')) throw error
    const { held } = await findHolder(db, act, partnerId, coupon.couponId)
    return held ?? { outcome: 'taken', holder: null }
  }
}

/** @param partnerId a UUID @returns undefined if the workspace has no such partner */
export const removeCoupon = async (
  db: Db,
  act: Act,
  partnerId: string,
  couponId: string,
): Promise<'removed' | 'not_held' | undefined> => {
  const { workspaceId } = act
  const partner = await db
    .selectFrom('partners as p')
    .leftJoin('coupon_aliases as a', (join) =>
      join.onRef('a.partner_id', '=', 'p.id').on('a.coupon_id', '=', couponId),
    )
    .where('p.workspace_id', '=', workspaceId)
    .where('p.id', '=', partnerId)
    .select(['p.id', 'p.email', 'a.id as aliasId', 'a.label as couponLabel'])
    .executeTakeFirst()
  if (!partner) return undefined
  if (partner.aliasId === null) return 'not_held'

  await db.batch([
    auditEntry(db, {
      ...act,
      action: 'coupon.removed',
      subjectId: partner.id,
      details: { email: partner.email, couponId, couponLabel: partner.couponLabel },
      // A concurrent removal waits for the row lock, and then writes no entry.
      when: sql<SqlBool>`exists (select from coupon_aliases where workspace_id = ${workspaceId}
                                 and id = ${partner.aliasId} for update)`,
    }).compile(),
    db
      .deleteFrom('coupon_aliases')
      .where('workspace_id', '=', workspaceId)
      .where('id', '=', partner.aliasId)
      .compile(),
  ])
  return 'removed'
}

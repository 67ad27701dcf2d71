/** Who pays in the name of a workspace, for bank files and documents. */

import { type Act, auditEntry } from '../../audit/audit.queries.ts'
import type { Db } from '../../db/connection.ts'

type Address = {
  street: string | null
  postalCode: string | null
  city: string | null
  /** ISO 3166, upper case. */
  country: string | null
}

/** A merchant's company. */
export type Payer = Address & { name: string; vatId: string | null; iban: string | null }

/** A payer as stored. */
export type StoredPayer = Omit<Payer, 'iban'> & {
  ibanCiphertext: string | null
  ibanMasked: string | null
}

/** The payer of a workspace. Until a manager has entered it, only the workspace's name is known. */
export const readPayer = (db: Db, workspaceId: string): Promise<StoredPayer> =>
  db
    .selectFrom('workspaces as w')
    .leftJoin('payers as y', 'y.workspace_id', 'w.id')
    .where('w.id', '=', workspaceId)
    .select((eb) => [
      eb.fn.coalesce('y.name', 'w.name').as('name'),
      'y.street',
      'y.postal_code as postalCode',
      'y.city',
      'y.country',
      'y.vat_id as vatId',
      'y.iban_ciphertext as ibanCiphertext',
      'y.iban_masked as ibanMasked',
    ])
    .executeTakeFirstOrThrow()

/** Saves the payer. The audit log has no IBAN. */
export const savePayer = async (db: Db, act: Act, payer: StoredPayer): Promise<void> => {
  const { workspaceId, now } = act
  const { ibanCiphertext, ibanMasked, ...open } = payer
  const row = {
    name: open.name,
    street: open.street,
    postal_code: open.postalCode,
    city: open.city,
    country: open.country,
    vat_id: open.vatId,
    iban_ciphertext: ibanCiphertext,
    iban_masked: ibanMasked,
    updated_at: now,
  }
  await db.batch([
    db
      .insertInto('payers')
      .values({ workspace_id: workspaceId, ...row })
      .onConflict((conflict) => conflict.column('workspace_id').doUpdateSet(row))
      .compile(),
    auditEntry(db, {
      ...act,
      action: 'payer.changed',
      subjectId: null,
      details: { ...open, iban: ibanMasked },
    }).compile(),
  ])
}

/** Invoices, and the partners as they name them. Triggers in schema.sql issue invoices. */
import { sql } from 'kysely'
import { auditEntry } from '../audit/audit.queries.ts'
import type { Db } from '../db/connection.ts'
import type { PageRequest } from '../db/page-request.ts'
import type { CreditNote, Invoice, Party } from '../payouts/invoices/invoices.ts'

type InvoiceFilter = PageRequest & { partnerId?: string | undefined }

type StoredNote = Pick<CreditNote, 'id' | 'reason'> & {
  number: number
  amountCents: number
  issuedAt: string
}

const selectInvoices = (db: Db) =>
  db
    .selectFrom('invoices as i')
    .innerJoin('payouts as po', 'po.id', 'i.payout_id')
    .innerJoin('partners as p', 'p.id', 'po.partner_id')
    .select([
      'i.id',
      'i.number',
      'i.payout_id as payoutId',
      'po.partner_id as partnerId',
      'po.reference',
      'i.program_name as programName',
      'po.currency',
      'po.amount_cents as amountCents',
      'i.commissions',
      'i.supplier',
      'i.customer',
      'i.agreed_at as agreedAt',
      'i.issued_at as issuedAt',
      sql<StoredNote[]>`(
        select coalesce(jsonb_agg(jsonb_build_object('id', n.id, 'number', n.number, 'amountCents', n.amount_cents,
                                                     'reason', n.reason, 'issuedAt', n.issued_at) order by n.number), '[]')
        from credit_notes n where n.invoice_id = i.id)`.as('creditNotes'),
    ])

type InvoiceRow = Awaited<ReturnType<ReturnType<typeof selectInvoices>['execute']>>[number]

const toInvoice = ({ creditNotes, ...row }: InvoiceRow): Invoice => ({
  ...row,
  creditNotes: creditNotes.map((note) => ({
    ...note,
    number: BigInt(note.number),
    amountCents: BigInt(note.amountCents),
    issuedAt: new Date(note.issuedAt),
  })),
})

/** The invoices of a workspace, newest first. */
export const listInvoices = async (
  db: Db,
  workspaceId: string,
  { partnerId, cursor, limit }: InvoiceFilter,
): Promise<Invoice[]> => {
  const rows = await selectInvoices(db)
    .where('i.workspace_id', '=', workspaceId)
    .$if(partnerId !== undefined, (invoices) =>
      invoices.where('po.partner_id', '=', partnerId ?? ''),
    )
    .$if(cursor !== undefined, (invoices) => invoices.where('i.id', '<', cursor ?? ''))
    .orderBy('i.id', 'desc')
    .limit(limit)
    .execute()
  return rows.map(toInvoice)
}

/** The owner of invoices: a workspace, or the address in whose name they are. */
type Owner = { workspaceId: string } | { email: string }

const selectOwn = (db: Db, owner: Owner) =>
  'email' in owner
    ? selectInvoices(db).where('p.email', '=', owner.email)
    : selectInvoices(db).where('i.workspace_id', '=', owner.workspaceId)

/** @param id a UUID */
export const findInvoice = async (
  db: Db,
  owner: Owner,
  id: string,
): Promise<Invoice | undefined> => {
  const row = await selectOwn(db, owner).where('i.id', '=', id).executeTakeFirst()
  return row && toInvoice(row)
}

/** A credit note, and the invoice that it corrects. @param id a UUID */
export const findCreditNote = async (
  db: Db,
  owner: Owner,
  id: string,
): Promise<{ invoice: Invoice; note: CreditNote } | undefined> => {
  const row = await selectOwn(db, owner)
    .where('i.id', '=', ({ selectFrom }) =>
      selectFrom('credit_notes as n').where('n.id', '=', id).select('n.invoice_id'),
    )
    .executeTakeFirst()
  const invoice = row && toInvoice(row)
  const note = invoice?.creditNotes.find((one) => one.id === id.toLowerCase())
  return invoice && note && { invoice, note }
}

/** The invoices in the name of an address, newest first. */
export const listOwnInvoices = async (db: Db, email: string, limit: number): Promise<Invoice[]> =>
  (await selectOwn(db, { email }).orderBy('i.id', 'desc').limit(limit).execute()).map(toInvoice)

/** How a workspace's invoices name a person, and whether the person agreed to them. */
export type Payee = {
  workspaceId: string
  workspaceName: string
  /** Whether the workspace issues invoices. */
  selfBilling: boolean
  /** null until the person has entered it. */
  party: Party | null
  agreedAt: Date | null
}

/** A person's details for invoices, per workspace. */
export const listPayees = async (db: Db, email: string): Promise<Payee[]> => {
  const rows = await db
    .selectFrom('workspaces as w')
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('partners as p')
          .whereRef('p.workspace_id', '=', 'w.id')
          .where('p.email', '=', email)
          .select('p.id'),
      ),
    )
    .leftJoin('payees as y', (join) =>
      join.onRef('y.workspace_id', '=', 'w.id').on('y.email', '=', email),
    )
    .select([
      'w.id as workspaceId',
      'w.name as workspaceName',
      'w.self_billing as selfBilling',
      'y.name',
      'y.street',
      'y.postal_code as postalCode',
      'y.city',
      'y.country',
      'y.vat_id as vatId',
      'y.self_billing_since as agreedAt',
    ])
    .orderBy('w.name')
    .orderBy('w.id')
    .execute()
  return rows.map(({ workspaceId, workspaceName, selfBilling, agreedAt, name, ...rest }) => ({
    ...{ workspaceId, workspaceName, selfBilling, agreedAt },
    party: name === null ? null : { name, ...rest },
  }))
}

/** Saves a person's details for invoices. An earlier agreement keeps its time. */
export const savePayee = async (
  db: Db,
  { workspaceId, email }: { workspaceId: string; email: string },
  { party, isAgreed }: { party: Party; isAgreed: boolean },
  now: Date,
): Promise<void> => {
  const { name, street, postalCode, city, country, vatId } = party
  const since = isAgreed ? sql`coalesce(payees.self_billing_since, ${now}::timestamptz)` : sql`null`
  const first = isAgreed ? sql`${now}::timestamptz` : sql`null`
  await db.batch([
    sql`
      insert into payees (workspace_id, email, name, street, postal_code, city, country, vat_id, self_billing_since,
                          updated_at)
      values (${workspaceId}, ${email}, ${name}, ${street}, ${postalCode}, ${city}, ${country}, ${vatId}, ${first}, ${now})
      on conflict (workspace_id, email) do update
      set name = excluded.name, street = excluded.street, postal_code = excluded.postal_code, city = excluded.city,
          country = excluded.country, vat_id = excluded.vat_id, self_billing_since = ${since},
          updated_at = excluded.updated_at`.compile(db),
    auditEntry(db, {
      ...{ workspaceId, actor: email, now, subjectId: null, details: { selfBilling: isAgreed } },
      action: 'payee.changed',
    }).compile(),
  ])
}

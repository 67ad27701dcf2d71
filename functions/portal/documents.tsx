import type { Context } from 'hono'
import type { SessionEnv } from '../../lib/auth/session.ts'
import { createRoutes } from '../../lib/http/app.ts'
import type { ErrorDetail } from '../../lib/http/errors.ts'
import { found } from '../../lib/http/found.ts'
import { checked, type Fields, form } from '../../lib/http/validate.ts'
import { Checkbox } from '../../lib/pages/fields.tsx'
import { InvoiceTable } from '../../lib/pages/invoices.tsx'
import { Done, noticeFor, Problem } from '../../lib/pages/parts.tsx'
import { PARTY_LABELS, PartyFields } from '../../lib/pages/party-fields.tsx'
import { renderPortal } from '../../lib/pages/portal.tsx'
import { noSuchPage } from '../../lib/pages/render.tsx'
import { MAX_LINES, Statement } from '../../lib/pages/statement.tsx'
import { type InvoicesEnv, sendCreditNote, sendInvoice } from '../../lib/papers/invoice.service.ts'
import {
  findCreditNote,
  findInvoice,
  listOwnInvoices,
  listPayees,
  type Payee,
  savePayee,
} from '../../lib/papers/invoices.queries.ts'
import { PayeeChange, StatementQuery } from '../../lib/papers/papers.schemas.ts'
import { sendStatement, statementOf } from '../../lib/papers/statement.service.ts'
import { listOwnPartners } from '../../lib/papers/statements.queries.ts'
import { monthsSince } from '../../lib/papers/statements.ts'
import { OfWorkspace } from '../../lib/payouts/accounts.schemas.ts'

type DocumentsEnv = SessionEnv & InvoicesEnv

const DONE = { saved: 'Details saved. They are on your next invoices.' }

/** Enough for eight years of monthly payouts of two programs. */
const MAX_INVOICES = 200

const detailsPath = ({ workspaceId }: Payee) => `/portal/documents/details?workspace=${workspaceId}`

/** What a workspace needs for invoices. */
const PayeeCard = ({ payee }: { payee: Payee }) => (
  <section class="card">
    <h2>{payee.workspaceName}</h2>
    <p>
      {payee.agreedAt
        ? 'Issues an invoice in your name for each payout.'
        : 'Can issue an invoice in your name for each payout, if you agree.'}
    </p>
    <p>
      <a href={detailsPath(payee)}>{payee.party ? 'Change your details' : 'Enter your details'}</a>
    </p>
  </section>
)

const fieldsOf = ({ party, agreedAt }: Payee): Fields => ({
  ...Object.fromEntries(
    Object.entries(party ?? {}).flatMap(([field, value]) => (value ? [[field, value]] : [])),
  ),
  ...(agreedAt && { isAgreed: 'on' }),
})

const DetailsPage = ({ payee, fields, errors }: { payee: Payee; fields: Fields; errors?: ErrorDetail[] }) => (
  <>
    <h1>Details for invoices</h1>
    <Problem errors={errors} labels={PARTY_LABELS} />
    <p>
      How invoices from you to <bdi>{payee.workspaceName}</bdi> name you.
    </p>
    <form method="post" action={detailsPath(payee)}>
      <PartyFields fields={fields} errors={errors} />
      <Checkbox
        label={
          <>
            I agree that <bdi>{payee.workspaceName}</bdi> issues invoices in my name (self-billing)
          </>
        }
        name="isAgreed"
        hint="You receive them here, and issue no invoices of your own for these payouts. You can withdraw it for later ones."
        checked={fields.isAgreed !== undefined}
      />
      <p>
        <button type="submit">Save details</button>
      </p>
    </form>
    <p>
      <a href="/portal/documents">Back to your documents</a>
    </p>
  </>
)

/** The signed-in partner in the workspace of the URL. @throws {ApiError} `not_found` */
const payeeOf = async (c: Context<DocumentsEnv>): Promise<Payee> => {
  const { data } = checked(OfWorkspace, c.req.query())
  const payees = data ? await listPayees(c.var.db, c.var.user.email) : []
  const payee = payees.find(({ workspaceId }) => workspaceId === data?.workspace)
  if (!payee?.selfBilling) throw noSuchPage()
  return payee
}

const showDetails = (c: Context<DocumentsEnv>, payee: Payee, fields: Fields, errors?: ErrorDetail[]) => {
  const children = <DetailsPage {...{ payee, fields }} {...(errors && { errors })} />
  return renderPortal(
    c,
    { title: 'Details for invoices', at: '/portal/documents', children },
    errors ? 400 : 200,
  )
}

/** /portal/documents: a partner's papers. */
export default createRoutes<DocumentsEnv>()
  .get('/portal/documents', async (c) => {
    const { db, user } = c.var
    const [payees, invoices, partners] = await Promise.all([
      listPayees(db, user.email),
      listOwnInvoices(db, user.email, MAX_INVOICES),
      listOwnPartners(db, user.email),
    ])
    const billing = payees.filter(({ selfBilling }) => selfBilling)
    const children = (
      <>
        <h1>Documents</h1>
        <Done message={noticeFor(DONE, c.req.query('done'))} />
        {billing.map((payee) => (
          <PayeeCard payee={payee} />
        ))}
        {invoices.length > 0 && <InvoiceTable invoices={invoices} base="/portal/documents" extension="" />}
        {partners.length > 0 && (
          <>
            <h2>Monthly statements</h2>
            <ul>
              {partners.map(({ id, program }) => (
                <li>
                  <a href={`/portal/documents/statement?partner=${id}`}>{program}</a>
                </li>
              ))}
            </ul>
          </>
        )}
        {billing.length + invoices.length + partners.length === 0 && <p class="empty">No documents yet.</p>}
      </>
    )
    return renderPortal(c, { title: 'Documents', at: '/portal/documents', children })
  })
  .get('/portal/documents/statement', async (c) => {
    const { db, now, user } = c.var
    const { partner = '', ...rest } = c.req.query()
    const { data } = checked(StatementQuery, rest)
    if (!data) throw noSuchPage()
    const isCsv = data.format === 'csv'
    const read = await found('partner', partner, (partnerId) =>
      statementOf(
        db,
        { of: { email: user.email }, partnerId, month: data.month, now },
        isCsv ? undefined : MAX_LINES + 1,
      ),
    )
    if (isCsv) return sendStatement(c, read)
    const path = '/portal/documents/statement'
    const children = (
      <Statement
        {...read}
        months={monthsSince(read.partner.createdAt, now)}
        path={path}
        hidden={{ partner }}
        csv={`${path}?partner=${read.partner.id}&month=${read.month.key}&format=csv`}
      />
    )
    return renderPortal(c, { title: 'Statement', at: '/portal/documents', children })
  })
  .get('/portal/documents/invoices/:id', async (c) => {
    const { db, user } = c.var
    return sendInvoice(
      c,
      await found('invoice', c.req.param('id'), (id) => findInvoice(db, { email: user.email }, id)),
    )
  })
  .get('/portal/documents/credit-notes/:id', async (c) => {
    const { db, user } = c.var
    const owner = { email: user.email }
    return sendCreditNote(
      c,
      await found('credit note', c.req.param('id'), (id) => findCreditNote(db, owner, id)),
    )
  })
  .get('/portal/documents/details', async (c) => {
    const payee = await payeeOf(c)
    return showDetails(c, payee, fieldsOf(payee))
  })
  .post('/portal/documents/details', form(), async (c) => {
    const payee = await payeeOf(c)
    const fields = c.req.valid('form')
    const isAgreed = fields.isAgreed !== undefined
    const { data, errors } = checked(PayeeChange, { name: '', street: '', city: '', ...fields, isAgreed })
    if (errors) return showDetails(c, payee, fields, errors)
    const { name, street, city, country } = data
    const party = {
      name,
      street,
      city,
      country,
      postalCode: data.postalCode || null,
      vatId: data.vatId || null,
    }
    const person = { workspaceId: payee.workspaceId, email: c.var.user.email }
    await savePayee(c.var.db, person, { party, isAgreed }, c.var.now)
    return c.redirect('/portal/documents?done=saved', 303)
  })

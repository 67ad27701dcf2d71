import type { Context } from 'hono'
import { expensiveToPerson } from '../../../lib/auth/expensive/expensive.ts'
import type { SessionEnv } from '../../../lib/auth/session.ts'
import { createRoutes } from '../../../lib/http/app.ts'
import type { ErrorDetail } from '../../../lib/http/errors.ts'
import { found } from '../../../lib/http/found-or-404.ts'
import { checked, type Fields, form } from '../../../lib/http/validate.ts'
import * as m from '../../../lib/languages/messages.ts'
import { Submit } from '../../../lib/pages/forms/buttons.tsx'
import { Checkbox } from '../../../lib/pages/forms/fields.tsx'
import { PartyFields, partyLabels } from '../../../lib/pages/forms/party-fields.tsx'
import { Done, LinkLine, noticeFor, Problem } from '../../../lib/pages/layout/parts.tsx'
import { renderPortal } from '../../../lib/pages/layout/portal.tsx'
import { noSuchPage } from '../../../lib/pages/layout/render.tsx'
import { t, textsOf } from '../../../lib/pages/layout/text.ts'
import { name } from '../../../lib/pages/parts/tags.tsx'
import { InvoiceTable } from '../../../lib/pages/tables/invoices.tsx'
import { MAX_LINES, Statement } from '../../../lib/pages/tables/statement.tsx'
import {
  type InvoicesEnv,
  sendCreditNote,
  sendInvoice,
} from '../../../lib/papers/invoice.service.ts'
import {
  findCreditNote,
  findInvoice,
  listOwnInvoices,
  listPayees,
  type Payee,
  savePayee,
} from '../../../lib/papers/invoices.queries.ts'
import { PayeeChange, StatementQuery } from '../../../lib/papers/papers.schemas.ts'
import { sendStatement, statementOf } from '../../../lib/papers/statement.service.ts'
import { listOwnPartners } from '../../../lib/papers/statements.queries.ts'
import { OfWorkspace } from '../../../lib/payouts/accounts/accounts.schemas.ts'
import { monthsSince } from '../../../lib/rules/statements/statements.ts'

type DocumentsEnv = SessionEnv & InvoicesEnv

const DONE = { saved: m.documents_saved }

/** Enough for eight years of monthly payouts of two programs. */
const MAX_INVOICES = 200

const detailsPath = ({ workspaceId }: Payee) => `/portal/documents/details?workspace=${workspaceId}`

/** The details that a workspace needs for invoices. */
const PayeeCard = ({ payee }: { payee: Payee }) => (
  <section class="card">
    <h2>{payee.workspaceName}</h2>
    <p>{t(payee.agreedAt ? m.payee_agreed : m.payee_open)}</p>
    <LinkLine href={detailsPath(payee)}>
      {t(payee.party ? m.change_details : m.enter_details)}
    </LinkLine>
  </section>
)

const fieldsOf = ({ party, agreedAt }: Payee): Fields => ({
  ...Object.fromEntries(
    Object.entries(party ?? {}).flatMap(([field, value]) => (value ? [[field, value]] : [])),
  ),
  ...(agreedAt && { isAgreed: 'on' }),
})

type DetailsPageProps = { payee: Payee; fields: Fields; errors?: ErrorDetail[] }

const DetailsPage = ({ payee, fields, errors }: DetailsPageProps) => (
  <>
    <h1>{t(m.invoice_details)}</h1>
    <Problem errors={errors} labels={partyLabels(t)} />
    <p>{t(m.invoice_details_intro, { workspace: payee.workspaceName, name })}</p>
    <form method="post" action={detailsPath(payee)}>
      <PartyFields fields={fields} errors={errors} />
      <Checkbox
        label={t(m.agree_self_billing, { workspace: payee.workspaceName, name })}
        name="isAgreed"
        hint={t(m.agree_self_billing_hint)}
        checked={fields.isAgreed !== undefined}
      />
      <Submit>{t(m.save_details)}</Submit>
    </form>
    <LinkLine href="/portal/documents">{t(m.back_to_documents)}</LinkLine>
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

const showDetails = (
  c: Context<DocumentsEnv>,
  payee: Payee,
  fields: Fields,
  errors?: ErrorDetail[],
) => {
  const children = <DetailsPage {...{ payee, fields }} {...(errors && { errors })} />
  return renderPortal(
    c,
    { title: m.invoice_details, at: '/portal/documents', children },
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
    const t = textsOf(c)
    const done = noticeFor(DONE, c.req.query('done'))
    const billing = payees.filter(({ selfBilling }) => selfBilling)
    const children = (
      <>
        <h1>{t(m.nav_documents)}</h1>
        <Done message={done} />
        {billing.map((payee) => (
          <PayeeCard payee={payee} />
        ))}
        {invoices.length > 0 && (
          <InvoiceTable invoices={invoices} base="/portal/documents" extension="" />
        )}
        {partners.length > 0 && (
          <>
            <h2>{t(m.monthly_statements)}</h2>
            <ul>
              {partners.map(({ id, program }) => (
                <li>
                  <a href={`/portal/documents/statement?partner=${id}`}>{program}</a>
                </li>
              ))}
            </ul>
          </>
        )}
        {billing.length + invoices.length + partners.length === 0 && (
          <p class="empty">{t(m.no_documents)}</p>
        )}
      </>
    )
    return renderPortal(c, { title: m.nav_documents, at: '/portal/documents', children })
  })
  .get('/portal/documents/statement', expensiveToPerson(), async (c) => {
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
    return renderPortal(c, { title: m.statement, at: '/portal/documents', children })
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
    const { data, errors } = checked(PayeeChange, {
      name: '',
      street: '',
      city: '',
      ...fields,
      isAgreed,
    })
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

import type { Context } from 'hono'
import { readContacts } from '../../../lib/brand/brands.queries.ts'
import { createRoutes } from '../../../lib/http/app.ts'
import type { ErrorDetail } from '../../../lib/http/errors.ts'
import { checked, type Fields, form } from '../../../lib/http/validate.ts'
import * as m from '../../../lib/languages/messages.ts'
import { noticeFor } from '../../../lib/pages/layout/parts.tsx'
import { renderPortal } from '../../../lib/pages/layout/portal.tsx'
import { noSuchPage } from '../../../lib/pages/layout/render.tsx'
import { textsOf } from '../../../lib/pages/layout/text.ts'
import { OfWorkspace } from '../../../lib/payouts/accounts/accounts.schemas.ts'
import {
  type PaymentChoice,
  readPaymentChoices,
} from '../../../lib/payouts/details/payment-details.queries.ts'
import {
  DetailsCancellation,
  NewPaymentDetails,
} from '../../../lib/payouts/details/payment-details.schemas.ts'
import {
  cancelChange,
  changePaymentDetails,
  type DetailsEnv,
} from '../../../lib/payouts/details/payment-details.service.ts'
import { PAYMENT_METHODS } from '../../../lib/payouts/details/payment-details.ts'
import { freshPartnersOnly } from '../../../lib/sign-in/fresh-partner.tsx'
import { PaymentPage } from './payment-page.tsx'

const DONE = {
  saved: m.payment_saved,
  canceled: m.payment_change_canceled,
}

/** Forms omit blank fields, which the schema would report as missing. */
const BLANK = { address: '', iban: '', name: '' }

/** The signed-in partner's choice in the workspace of the URL. @throws {ApiError} `not_found` */
const choiceOf = async (c: Context<DetailsEnv>): Promise<PaymentChoice> => {
  const { data } = checked(OfWorkspace, c.req.query())
  const [choice] = data
    ? await readPaymentChoices(c.var.db, c.var.user.email, c.var.now, data.workspace)
    : []
  if (!choice) throw noSuchPage()
  return choice
}

type Shown = { fields?: Fields; errors?: ErrorDetail[]; refused?: string }

const show = async (c: Context<DetailsEnv>, choice: PaymentChoice, shown: Shown = {}) => {
  const isRefused = Boolean(shown.errors ?? shown.refused)
  const done = isRefused ? undefined : noticeFor(DONE, c.req.query('done'))
  const method = PAYMENT_METHODS.find(
    (one) => one === (shown.fields?.method ?? c.req.query('method')),
  )
  const support = await readContacts(c.var.db, c.var.user.email, choice.workspaceId)
  const children = <PaymentPage {...shown} {...{ choice, support, method, done }} />
  return renderPortal(c, { title: m.payment_details, children }, isRefused ? 400 : 200)
}

const back = (c: Context<DetailsEnv>, { workspaceId }: PaymentChoice, done: keyof typeof DONE) =>
  c.redirect(`/portal/payment?workspace=${workspaceId}&done=${done}`, 303)

/** /portal/payment: how a partner is paid by one workspace. */
export default createRoutes<DetailsEnv>()
  .get('/portal/payment', async (c) => show(c, await choiceOf(c)))
  .post('/portal/payment', freshPartnersOnly(), form(), async (c) => {
    const choice = await choiceOf(c)
    const fields = c.req.valid('form')
    const { data, errors } = checked(NewPaymentDetails, { ...BLANK, ...fields })
    if (errors) return show(c, choice, { fields, errors })
    const refused = await changePaymentDetails(c, choice, data)
    return refused ? show(c, choice, { fields, ...refused }) : back(c, choice, 'saved')
  })
  .post('/portal/payment/cancel', form(), async (c) => {
    const choice = await choiceOf(c)
    const { data } = checked(DetailsCancellation, c.req.valid('form'))
    const isCanceled = data ? await cancelChange(c, choice, data.id) : false
    return isCanceled
      ? back(c, choice, 'canceled')
      : show(c, choice, { refused: textsOf(c)(m.nothing_to_cancel) })
  })

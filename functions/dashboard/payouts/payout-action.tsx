/** A page that confirms an action on one payout, and the request that does it. */

import type { Context } from 'hono'
import { every } from 'hono/combine'
import type { Child } from 'hono/jsx'
import type { WorkspaceEnv } from '../../../lib/auth/access.ts'
import { readById } from '../../../lib/auth/rows.ts'
import { createRoutes } from '../../../lib/http/app.ts'
import type { ErrorDetail } from '../../../lib/http/errors.ts'
import { found } from '../../../lib/http/found-or-404.ts'
import { type Checked, type Fields, form } from '../../../lib/http/validate.ts'
import type { Message } from '../../../lib/languages/message.ts'
import * as m from '../../../lib/languages/messages.ts'
import { Field } from '../../../lib/pages/forms/fields.tsx'
import { LinkLine, Problem } from '../../../lib/pages/layout/parts.tsx'
import { renderPage } from '../../../lib/pages/layout/render.tsx'
import { t } from '../../../lib/pages/layout/text.ts'
import { money } from '../../../lib/pages/parts/money.tsx'
import { PartnerOf } from '../../../lib/pages/tables/ledger.tsx'
import { findPayout, type PayoutRow } from '../../../lib/payouts/payouts.queries.ts'
import { confirmedByPasskey, freshMembersOnly } from '../../../lib/sign-in/fresh-sign-in.tsx'

type ReasonFieldProps = {
  hint: string
  fields?: Fields | undefined
  errors?: ErrorDetail[] | undefined
}

/** The reason of a decision. */
export const ReasonField = ({ hint, fields, errors }: ReasonFieldProps) => (
  <Field
    label={t(m.layout_reason)}
    name="reason"
    hint={hint}
    required
    maxlength={500}
    autocomplete="off"
    value={fields?.reason}
    errors={errors}
  />
)

/** @typeParam Input the parsed form */
type PayoutAction<Input> = {
  /** The last part of the path: /app/:workspace/payouts/:id/cancel. */
  path: string
  title: Message
  heading: Message
  /** Why the action is refused or already done; null if it is possible. */
  refusalOf: (payout: PayoutRow, now: Date) => string | null
  /** The effect, shown above the buttons. */
  effect: (payout: PayoutRow) => Child
  /** The hint of the reason field. Without a hint, there is no such field. */
  reasonHint?: Message
  buttons: () => Child
  /** The label of the link that leaves the page: "Cancel" by default. */
  keep?: Message
  read: (fields: Fields) => Checked<Input & object>
  /** @returns the changed payout; undefined if there is none */
  act: (c: Context<WorkspaceEnv>, id: string, input: Input) => Promise<PayoutRow | undefined>
  /** Why it was refused; null if it was done, now or before. @param payout after the request */
  refusedAs: (payout: PayoutRow, input: Input, now: Date) => string | null
  /** Whether it only stops a payout, which needs no passkey. */
  stops?: true
  /** The notice on the run's page: see payouts.tsx. */
  doneOf: (payout: PayoutRow, input: Input) => string
}

type Shown = { payout: PayoutRow; refusal: string | null; fields?: Fields; errors?: ErrorDetail[] }

/** A component, because amounts are in the reader's language only while a page is rendered. */
const ActionPage = <Input,>({
  action: { heading, effect, reasonHint, buttons, keep = m.cancel },
  base,
  shown: { payout, refusal, fields, errors },
}: {
  action: PayoutAction<Input>
  base: string
  shown: Shown
}) => {
  const run = `${base}/payouts/runs/${payout.runId}`
  return (
    <>
      <h1>{t(heading)}</h1>
      <Problem
        message={refusal ?? undefined}
        errors={errors}
        labels={{ reason: t(m.layout_reason) }}
      />
      <p>
        {t(m.payouts_action_on, {
          amount: money(payout.amountCents, payout.currency),
          partner: () => <PartnerOf base={base} row={payout} />,
          reference: payout.reference,
          nowrap: (content) => <span class="nowrap">{content}</span>,
        })}
      </p>
      {refusal ? (
        <LinkLine href={run}>{t(m.payouts_back_payout_run)}</LinkLine>
      ) : (
        <form method="post">
          {effect(payout)}
          {reasonHint && <ReasonField hint={t(reasonHint)} {...{ fields, errors }} />}
          <div class="actions">
            {buttons()} <a href={run}>{t(keep)}</a>
          </div>
        </form>
      )}
    </>
  )
}

/** The routes of an action. Managers only. */
export const payoutAction = <Input,>(action: PayoutAction<Input>) => {
  const path = `/app/:workspace/payouts/:id/${action.path}` as const
  const show = (c: Context<WorkspaceEnv>, shown: Shown, status: 200 | 400 | 409 = 200) =>
    renderPage(
      c,
      {
        title: action.title,
        section: '/payouts',
        children: (
          <ActionPage action={action} base={`/app/${c.var.workspace.slug}`} shown={shown} />
        ),
      },
      status,
    )
  const find = (c: Context<WorkspaceEnv>) => readById(c, 'payout', findPayout)

  return createRoutes<WorkspaceEnv>()
    .get(path, async (c) => {
      const payout = await find(c)
      return show(c, { payout, refusal: action.refusalOf(payout, c.var.now) })
    })
    .post(
      path,
      action.stops ? freshMembersOnly() : every(freshMembersOnly(), confirmedByPasskey()),
      form(),
      async (c) => {
        const { now, workspace } = c.var
        const fields = c.req.valid('form')
        const { data, errors } = action.read(fields)
        if (errors) {
          const payout = await find(c)
          return show(c, { payout, refusal: action.refusalOf(payout, now), fields, errors }, 400)
        }
        const payout = await found('payout', c.req.param('id') ?? '', (id) =>
          action.act(c, id, data),
        )
        const refusal = action.refusedAs(payout, data, now)
        if (refusal) return show(c, { payout, refusal }, 409)
        const done = action.doneOf(payout, data)
        return c.redirect(`/app/${workspace.slug}/payouts/runs/${payout.runId}?done=${done}`, 303)
      },
    )
}

/** An action whose form has no fields. */
export const NO_FIELDS = { read: (): Checked<object> => ({ data: {} }) }

/** The link to the portal in mails. */
export const portalOf = (c: Context<WorkspaceEnv>): string => new URL('/portal', c.req.url).href

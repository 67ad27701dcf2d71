/** /app/:workspace/partners/bonus: a bonus by hand for many partners. docs/bonuses.md. */

import type { Context } from 'hono'
import * as z from 'zod'
import { actOf, type WorkspaceEnv } from '../../../lib/auth/access.ts'
import { newId } from '../../../lib/db/ids.ts'
import { createRoutes } from '../../../lib/http/app.ts'
import type { ErrorDetail } from '../../../lib/http/errors.ts'
import { type Fields, form } from '../../../lib/http/validate.ts'
import { inEnglish } from '../../../lib/languages/message.ts'
import * as m from '../../../lib/languages/messages.ts'
import { Chosen, chosenIn } from '../../../lib/pages/forms/choice.tsx'
import { controls, Field, type FormState, TextArea } from '../../../lib/pages/forms/fields.tsx'
import { checkForm } from '../../../lib/pages/forms/forms.ts'
import { LinkLine, Problem } from '../../../lib/pages/layout/parts.tsx'
import { renderSection } from '../../../lib/pages/layout/render.tsx'
import { t, textsOf } from '../../../lib/pages/layout/text.ts'
import { money } from '../../../lib/pages/parts/money.tsx'
import {
  findNamed,
  listGroup,
  type NamedPartner,
} from '../../../lib/partners/lists/named-partners.queries.ts'
import { programsAndGroupsQuery } from '../../../lib/partners/lists/partners.queries.ts'
import { freshMembersOnly } from '../../../lib/sign-in/fresh-sign-in.tsx'
import { type BulkAdjustment, MAX_BULK } from '../../../lib/tracking/ledger/adjustments.ts'
import { saveBulkAdjustment } from '../../../lib/tracking/ledger/bulk-adjustments.queries.ts'
import { NewBulkAdjustment } from '../../../lib/tracking/ledger/commissions.schemas.ts'
import { parseMoney } from '../../../lib/values/money.ts'
import { ALREADY_SAVED } from '../commissions/adjustment-form.tsx'
import { GroupField, groupOptions, type ProgramAndGroup, ProgramField } from '../fields/choices.tsx'
import { ReasonField } from '../fields/correction-fields.tsx'

const LABELS = {
  programId: m.program,
  groupId: m.layout_group,
  names: m.partners_bonus_names,
  amount: m.partners_bonus_amount,
  currency: m.layout_currency,
  reason: m.layout_reason,
}

/** A thousand addresses, or the ids of as many partners. */
const MAX_FORM_BYTES = 256 * 1024

type Props = FormState & { base: string; choices: ProgramAndGroup[]; message?: string | undefined }

const BonusPage = ({ base, choices, fields, errors, message }: Props) => {
  const control = controls(LABELS, { fields, errors })
  return (
    <>
      <LinkLine href={`${base}/partners`}>{t(m.layout_partners)}</LinkLine>
      <h1>{t(m.partners_bonus_title)}</h1>
      <Problem message={message} errors={errors} labels={LABELS} />
      <p>{t(m.partners_bonus_intro)}</p>
      <form method="post" action={`${base}/partners/bonus`}>
        <input type="hidden" name="externalId" value={fields.externalId ?? newId()} />
        <GroupField {...control('groupId')} groups={groupOptions(choices)} />
        <ProgramField {...control('programId')} choices={choices} />
        <TextArea {...control('names')} hint={t(m.partners_bonus_names_hint)} rows={6} />
        <Field
          {...control('amount')}
          required
          inputmode="decimal"
          maxlength={20}
          autocomplete="off"
        />
        <Field
          {...control('currency')}
          value={fields.currency ?? 'USD'}
          required
          maxlength={3}
          autocomplete="off"
          spellcheck="false"
        />
        <ReasonField label={t(m.layout_reason)} fields={fields} errors={errors} />
        <button type="submit">{t(m.layout_preview)}</button>
      </form>
    </>
  )
}

const show = async (
  c: Context<WorkspaceEnv>,
  state: Omit<Props, 'base' | 'choices'>,
  status: 200 | 400 | 409 = 200,
) => {
  const { db, workspace } = c.var
  const base = `/app/${workspace.slug}`
  const choices = await programsAndGroupsQuery(db, workspace.id).execute()
  const children = <BonusPage {...state} base={base} choices={choices} />
  return renderSection(c, '/partners', m.partners_bonus_title, children, status)
}

/** The form as the API's request, for these partners. */
const readBonus = (fields: Fields, partnerIds: string[]) => {
  const { externalId, amount = '', currency = '', reason = '' } = fields
  const amountCents = parseMoney(amount.replace(',', '.'), currency.toUpperCase())
  const problems =
    amountCents === null
      ? [{ path: 'amount', message: inEnglish(m.partners_bonus_enter_amount) }]
      : []
  // 1 stands for an amount that cannot be read, which has its own error.
  const input = { externalId, partnerIds, amountCents: amountCents ?? 1, currency, reason }
  const { data, errors } = checkForm(NewBulkAdjustment, { input, problems })
  if (data) return { data }
  return { errors: errors.map((error) => ({ ...error, path: FIELDS[error.path] ?? error.path })) }
}

/** The fields of the form by those of the request. */
const FIELDS: Record<string, string> = { amountCents: 'amount', partnerIds: 'names' }

/** The partners whom a form names: of a group, or by their slugs and addresses. */
const findPartners = async (
  c: Context<WorkspaceEnv>,
  fields: Fields,
): Promise<{ partners: NamedPartner[]; errors: ErrorDetail[] }> => {
  const { db, workspace } = c.var
  const t = textsOf(c)
  const names = [...new Set((fields.names ?? '').split(/[\s,;]+/).filter(Boolean))]
  const [groupId, programId] = [fields.groupId, fields.programId].map(
    (id) => z.uuid().safeParse(id).data,
  )
  const problem = (path: string, message: string) => ({ partners: [], errors: [{ path, message }] })
  if ((groupId === undefined) === (names.length === 0))
    return problem('names', t(m.partners_bonus_group_or_names))
  if (names.length > MAX_BULK)
    return problem('names', t(m.partners_bonus_at_most, { max: MAX_BULK }))
  if (groupId) {
    const partners = await listGroup(db, workspace.id, groupId, MAX_BULK + 1)
    if (partners.length === 0) return problem('groupId', t(m.partners_bonus_empty_group))
    return partners.length > MAX_BULK
      ? problem('groupId', t(m.partners_bonus_at_most, { max: MAX_BULK }))
      : { partners, errors: [] }
  }
  const { partners, unknown } = await findNamed(db, workspace.id, programId ?? newId(), names)
  return unknown.length > 0
    ? problem('names', t(m.partners_bonus_unknown, { names: unknown.join(', ') }))
    : { partners, errors: [] }
}

type ConfirmProps = {
  base: string
  bonus: BulkAdjustment
  partners: NamedPartner[]
  fields: Fields
}

const ConfirmPage = ({ base, bonus, partners, fields }: ConfirmProps) => {
  const { amountCents, currency, reason, partnerIds } = bonus
  return (
    <>
      <h1>{t(m.partners_bonus_give_to, { count: partnerIds.length })}</h1>
      <p>
        {t(m.partners_bonus_total, {
          each: money(amountCents, currency),
          total: money(BigInt(amountCents) * BigInt(partnerIds.length), currency),
          reason,
        })}
      </p>
      <ul>
        {partners.map(({ id, name, slug }) => (
          <li>
            <a href={`${base}/partners/${id}`}>{name ?? slug}</a>
          </li>
        ))}
      </ul>
      <form method="post" action={`${base}/partners/bonus/confirm`}>
        <Chosen ids={partnerIds} />
        {(['externalId', 'amount', 'currency', 'reason'] as const).map((name) => (
          <input type="hidden" name={name} value={fields[name]} />
        ))}
        <p class="actions">
          <button type="submit">{t(m.partners_bonus_give)}</button>{' '}
          <a href={`${base}/partners/bonus`}>{t(m.cancel)}</a>
        </p>
      </form>
    </>
  )
}

const PATH = '/app/:workspace/partners/bonus'

export default createRoutes<WorkspaceEnv>()
  .get(PATH, (c) => show(c, { fields: {} }))
  .post(PATH, form({ maxBytes: MAX_FORM_BYTES }), async (c) => {
    const fields = c.req.valid('form')
    const found = await findPartners(c, fields)
    // An id of nobody, so that the other fields are checked too.
    const ids = found.partners.map(({ id }) => id)
    const { data: bonus, errors = [] } = readBonus(fields, ids.length > 0 ? ids : [newId()])
    if (!bonus || found.errors.length > 0)
      return show(c, { fields, errors: [...found.errors, ...errors] }, 400)
    const base = `/app/${c.var.workspace.slug}`
    const children = <ConfirmPage {...{ base, bonus, fields }} partners={found.partners} />
    return renderSection(c, '/partners', m.partners_bonus_title, children)
  })
  .post(`${PATH}/confirm`, freshMembersOnly(), form({ maxBytes: MAX_FORM_BYTES }), async (c) => {
    const fields = c.req.valid('form')
    const { data: bonus, errors } = readBonus(fields, chosenIn(fields))
    if (errors) return show(c, { fields, errors }, 400)
    const saved = await saveBulkAdjustment(c.var.db, actOf(c), bonus)
    const t = textsOf(c)
    if (saved.outcome === 'missing')
      return show(c, { fields, errors: [], message: t(m.partners_bonus_gone) }, 409)
    if (saved.isMismatch) return show(c, { fields, errors: [], message: t(ALREADY_SAVED) }, 409)
    return c.redirect(`/app/${c.var.workspace.slug}/partners?done=bonus`, 303)
  })

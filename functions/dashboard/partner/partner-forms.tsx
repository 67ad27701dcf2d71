import type { ErrorDetail } from '../../../lib/http/errors.ts'
import type { Fields } from '../../../lib/http/validate.ts'
import * as m from '../../../lib/languages/messages.ts'
import { DangerButton, LinkButton, Submit } from '../../../lib/pages/forms/buttons.tsx'
import {
  Checkbox,
  EmailField,
  Field,
  IDENTIFIER,
  Select,
} from '../../../lib/pages/forms/fields.tsx'
import { MINIMUM_CURRENCY } from '../../../lib/pages/forms/program-fields.tsx'
import { RewardInputs, rewardFields } from '../../../lib/pages/forms/reward-fields.tsx'
import { t } from '../../../lib/pages/layout/text.ts'
import { hidden } from '../../../lib/pages/parts/tags.tsx'
import { Table } from '../../../lib/pages/tables/table.tsx'
import type { PartnerRow } from '../../../lib/partners/lists/partners.queries.ts'
import { exactMoney } from '../../../lib/values/money.ts'

export type Refused = {
  /** The form to show again; null for a button without fields. */
  form: 'partner' | 'coupon' | 'adjustment' | 'link' | 'address' | null
  fields: Fields
  errors: ErrorDetail[]
  message?: string
  /** The partner that has the coupon. */
  holder?: { id: string; slug: string } | null
}

type Coupons = PartnerRow['coupons']

type CouponAliasesProps = {
  path: string
  partnersPath: string
  coupons: Coupons
  mayChange: boolean
  refused: Refused | undefined
}

/** The coupons that credit the partner (spec section 4.5). */
export const CouponAliases = ({
  path,
  partnersPath,
  coupons,
  mayChange,
  refused,
}: CouponAliasesProps) => (
  <section>
    <h2 id="coupon-aliases">{t(m.partners_coupon_aliases)}</h2>
    <p>{t(m.partners_checkouts_use_one)}</p>
    {coupons.length > 0 ? (
      <CouponTable path={path} coupons={coupons} mayChange={mayChange} />
    ) : (
      <p class="empty">{t(m.partners_no_coupons_yet)}</p>
    )}
    {refused?.holder && (
      <p>
        <a href={`${partnersPath}/${refused.holder.id}#coupon-aliases`}>
          {t(m.partners_go_to_which, {
            slug: refused.holder.slug,
            couponId: refused.fields.couponId,
          })}
        </a>
      </p>
    )}
    {mayChange && (
      <form class="inline" method="post" action={`${path}/coupons`}>
        <Field
          label={t(m.partners_coupon_promotion_code)}
          name="couponId"
          hint={t(m.partners_id_payment_processor)}
          required
          maxlength={255}
          {...IDENTIFIER}
          value={refused?.fields.couponId}
          errors={refused?.errors}
        />
        <Field
          label={t(m.partners_code_optional)}
          name="couponLabel"
          hint={t(m.partners_code_buyers_enter)}
          maxlength={255}
          autocomplete="off"
          spellcheck="false"
          value={refused?.fields.couponLabel}
          errors={refused?.errors}
        />
        <button type="submit">{t(m.partners_add_coupon)}</button>
      </form>
    )}
  </section>
)

type CouponTableProps = { path: string; coupons: Coupons; mayChange: boolean }

const CouponTable = ({ path, coupons, mayChange }: CouponTableProps) => (
  <Table
    caption={t(m.partners_coupon_aliases)}
    head={['ID', t(m.code_field), ...(mayChange ? [t(m.action_column)] : [])]}
  >
    {coupons.map(({ couponId, couponLabel }) => (
      <tr>
        <td>
          <code>{couponId}</code>
        </td>
        <td>{couponLabel}</td>
        {mayChange && (
          <td>
            <form method="post" action={`${path}/coupons/remove`}>
              <input type="hidden" name="couponId" value={couponId} />
              <LinkButton>{t(m.partners_remove, { couponId, hidden })}</LinkButton>
            </form>
          </td>
        )}
      </tr>
    ))}
  </Table>
)

const ownMinimum = ({ minimumPayoutCents: cents }: PartnerRow): string =>
  cents === null ? '' : exactMoney(cents, MINIMUM_CURRENCY)

type PartnerFormsProps = {
  path: string
  partner: PartnerRow
  groups: { id: string; name: string }[]
  refused: Refused | undefined
}

export const PartnerForms = ({ path, partner, groups, refused }: PartnerFormsProps) => (
  <section>
    <h2>{t(m.layout_settings)}</h2>
    <PartnerSettings
      path={path}
      partner={partner}
      groups={groups}
      refused={refused?.form === 'partner' ? refused : undefined}
    />
    <AddressForm
      path={path}
      partner={partner}
      refused={refused?.form === 'address' ? refused : undefined}
    />
    {partner.status === 'approved' ? <Ban path={path} /> : <Reinstate path={path} />}
  </section>
)

const PartnerSettings = ({ path, partner, groups, refused }: PartnerFormsProps) => (
  <form method="post" action={path}>
    <Field
      label={t(m.party_name)}
      name="name"
      maxlength={255}
      autocomplete="off"
      value={refused ? refused.fields.name : partner.name}
      errors={refused?.errors}
    />
    <Select
      label={t(m.layout_group)}
      name="groupId"
      hint={t(m.partners_group_set_own)}
      options={[
        { value: '', label: t(m.partners_none_program_reward) },
        ...groups.map(({ id, name }) => ({ value: id, label: name })),
      ]}
      value={refused ? refused.fields.groupId : partner.groupId}
      errors={refused?.errors}
    />
    <RewardInputs
      name="reward"
      legend={t(m.partners_own_reward)}
      none={t(m.partners_none_own_reward)}
      fields={refused ? refused.fields : rewardFields('reward', partner.reward)}
      errors={refused?.errors}
    />
    <Field
      label={t(m.partners_minimum_payout_optional)}
      name="minimumPayoutCents"
      hint={t(m.partners_blank_programs_compared, {
        amount: exactMoney(partner.programMinimumCents, MINIMUM_CURRENCY),
      })}
      inputmode="decimal"
      autocomplete="off"
      value={refused ? refused.fields.minimumPayoutCents : ownMinimum(partner)}
      errors={refused?.errors}
    />
    <Checkbox
      label={t(m.partners_documents_received)}
      name="documentsReceived"
      hint={t(m.partners_need_partner_such)}
      checked={
        refused
          ? refused.fields.documentsReceived !== undefined
          : partner.documentsReceivedAt !== null
      }
    />
    <Submit>{t(m.partners_save_partner)}</Submit>
  </form>
)

type AddressFormProps = { path: string; partner: PartnerRow; refused: Refused | undefined }

const AddressForm = ({ path, partner, refused }: AddressFormProps) => (
  <form class="card" method="post" action={`${path}/address`}>
    <h3>{t(m.partners_correct_email_address)}</h3>
    <p>{t(m.partners_signs_portal_new)}</p>
    <EmailField
      label={t(m.new_address)}
      maxlength={254}
      value={refused ? refused.fields.email : partner.email}
      errors={refused?.errors}
    />
    <button type="submit">{t(m.change_address)}</button>
  </form>
)

const Ban = ({ path }: { path: string }) => (
  <form class="card" method="post" action={`${path}/status`}>
    <h3>{t(m.partners_ban_this_partner)}</h3>
    <p>{t(m.partners_link_stops_working)}</p>
    <input type="hidden" name="status" value="banned" />
    <DangerButton>{t(m.partners_ban_partner)}</DangerButton>
  </form>
)

const Reinstate = ({ path }: { path: string }) => (
  <form class="card" method="post" action={`${path}/status`}>
    <h3>{t(m.partners_reinstate_this_partner)}</h3>
    <p>{t(m.partners_link_works_again)}</p>
    <input type="hidden" name="status" value="approved" />
    <button type="submit">{t(m.partners_reinstate_partner)}</button>
  </form>
)

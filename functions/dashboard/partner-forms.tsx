/** The forms on a partner's page. */

import type { ErrorDetail } from '../../lib/http/errors.ts'
import type { Fields } from '../../lib/http/validate.ts'
import { plainMoney } from '../../lib/money.ts'
import { Checkbox, Field, Select } from '../../lib/pages/fields.tsx'
import { Table } from '../../lib/pages/parts.tsx'
import { MINIMUM_CURRENCY } from '../../lib/pages/program-fields.tsx'
import type { PartnerRow } from '../../lib/workspace/partners.queries.ts'

/** A rejected form: its fields and their errors. */
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

/** The coupons that credit the partner (spec section 4.5). */
export const CouponAliases = ({
  path,
  partnersPath,
  coupons,
  isManager,
  refused,
}: {
  path: string
  partnersPath: string
  coupons: Coupons
  isManager: boolean
  refused: Refused | undefined
}) => (
  <section>
    <h2 id="coupon-aliases">Coupon aliases</h2>
    <p>Checkouts that use one of these coupons are credited to this partner, even without a click.</p>
    {coupons.length > 0 ? (
      <CouponTable path={path} coupons={coupons} isManager={isManager} />
    ) : (
      <p class="empty">No coupons yet.</p>
    )}
    {refused?.holder && (
      <p>
        <a href={`${partnersPath}/${refused.holder.id}#coupon-aliases`}>
          Go to “{refused.holder.slug}”, which has {refused.fields.couponId}
        </a>
      </p>
    )}
    {isManager && (
      <form class="inline" method="post" action={`${path}/coupons`}>
        <Field
          label="Coupon or promotion code ID"
          name="couponId"
          hint="The ID in your payment processor."
          required
          maxlength={255}
          autocomplete="off"
          autocapitalize="none"
          spellcheck="false"
          value={refused?.fields.couponId}
          errors={refused?.errors}
        />
        <Field
          label="Code (optional)"
          name="couponLabel"
          hint="The code that buyers enter."
          maxlength={255}
          autocomplete="off"
          spellcheck="false"
          value={refused?.fields.couponLabel}
          errors={refused?.errors}
        />
        <button type="submit">Add coupon</button>
      </form>
    )}
  </section>
)

const CouponTable = ({
  path,
  coupons,
  isManager,
}: {
  path: string
  coupons: Coupons
  isManager: boolean
}) => (
  <Table caption="Coupon aliases" head={['ID', 'Code', ...(isManager ? ['Action'] : [])]}>
    {coupons.map(({ couponId, couponLabel }) => (
      <tr>
        <td>
          <code>{couponId}</code>
        </td>
        <td>{couponLabel}</td>
        {isManager && (
          <td>
            <form method="post" action={`${path}/coupons/remove`}>
              <input type="hidden" name="couponId" value={couponId} />
              <button type="submit" class="link">
                Remove<span class="hidden"> {couponId}</span>
              </button>
            </form>
          </td>
        )}
      </tr>
    ))}
  </Table>
)

const ownMinimum = ({ minimumPayoutCents: cents }: PartnerRow): string =>
  cents === null ? '' : plainMoney(cents, MINIMUM_CURRENCY)

/** Name, group, address and status. */
export const PartnerForms = ({
  path,
  partner,
  groups,
  refused,
}: {
  path: string
  partner: PartnerRow
  groups: { id: string; name: string }[]
  refused: Refused | undefined
}) => (
  <section>
    <h2>Settings</h2>
    <PartnerSettings
      path={path}
      partner={partner}
      groups={groups}
      refused={refused?.form === 'partner' ? refused : undefined}
    />
    <AddressForm path={path} partner={partner} refused={refused?.form === 'address' ? refused : undefined} />
    {partner.status === 'approved' ? <Ban path={path} /> : <Reinstate path={path} />}
  </section>
)

const PartnerSettings = ({
  path,
  partner,
  groups,
  refused,
}: {
  path: string
  partner: PartnerRow
  groups: { id: string; name: string }[]
  refused: Refused | undefined
}) => (
  <form method="post" action={path}>
    <Field
      label="Name"
      name="name"
      maxlength={255}
      autocomplete="off"
      value={refused ? refused.fields.name : partner.name}
      errors={refused?.errors}
    />
    <Select
      label="Group"
      name="groupId"
      hint="A group can set its own rewards. A change applies to sales paid and leads reported from now on."
      options={[
        { value: '', label: 'None (program reward)' },
        ...groups.map(({ id, name }) => ({ value: id, label: name })),
      ]}
      value={refused ? refused.fields.groupId : partner.groupId}
      errors={refused?.errors}
    />
    <Field
      label="Minimum payout (optional)"
      name="minimumPayoutCents"
      hint={`Blank is the program’s: ${plainMoney(partner.programMinimumCents, MINIMUM_CURRENCY)}. It is compared with what is due to the partner in all programs.`}
      inputmode="decimal"
      autocomplete="off"
      value={refused ? refused.fields.minimumPayoutCents : ownMinimum(partner)}
      errors={refused?.errors}
    />
    <Checkbox
      label="Documents received"
      name="documentsReceived"
      hint="You have what you need from the partner, such as a tax form. Runs can require it: see the settings."
      checked={
        refused ? refused.fields.documentsReceived !== undefined : partner.documentsReceivedAt !== null
      }
    />
    <p>
      <button type="submit">Save partner</button>
    </p>
  </form>
)

/** Corrects the address. */
const AddressForm = ({
  path,
  partner,
  refused,
}: {
  path: string
  partner: PartnerRow
  refused: Refused | undefined
}) => (
  <form class="card" method="post" action={`${path}/address`}>
    <h3>Correct the email address</h3>
    <p>
      The partner signs in to the portal with the new address, in all programs of this workspace. Unsent
      emails and the payout account move along.
    </p>
    <Field
      label="New email address"
      name="email"
      type="email"
      required
      maxlength={254}
      autocomplete="off"
      value={refused ? refused.fields.email : partner.email}
      errors={refused?.errors}
    />
    <button type="submit">Change address</button>
  </form>
)

const Ban = ({ path }: { path: string }) => (
  <form class="card" method="post" action={`${path}/status`}>
    <h3>Ban this partner</h3>
    <p>
      The partner’s link stops working immediately: no new click or lead is credited, and no sale paid from
      now on, including those of existing customers. Commissions for earlier sales are kept. You can reinstate
      the partner later; imports do not.
    </p>
    <input type="hidden" name="status" value="banned" />
    <button type="submit" class="danger">
      Ban partner
    </button>
  </form>
)

const Reinstate = ({ path }: { path: string }) => (
  <form class="card" method="post" action={`${path}/status`}>
    <h3>Reinstate this partner</h3>
    <p>The partner’s link works again. Sales paid during the ban stay uncredited.</p>
    <input type="hidden" name="status" value="approved" />
    <button type="submit">Reinstate partner</button>
  </form>
)

/** What a manager can do about a partner, as forms. */

import type { ErrorDetail } from '../../lib/http/errors.ts'
import type { Fields } from '../../lib/http/validate.ts'
import { Field, Select, Table } from '../../lib/pages/parts.tsx'
import type { PartnerRow } from '../../lib/workspace/partners.queries.ts'

/** A form that was refused: what was typed into it, and what is wrong with that. */
export type Refused = {
  /** The form that shows it again; null for a button, into which nothing is typed. */
  form: 'partner' | 'coupon' | null
  fields: Fields
  errors: ErrorDetail[]
  /** Who has the coupon that was to be added. */
  holder?: { id: string; slug: string } | null
}

type Coupons = PartnerRow['coupons']

/** The coupons that credit the partner. Spec, section 4.5. */
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
    <p>
      A checkout that uses one of these codes is credited to this partner, even when the buyer never came
      through its link.
    </p>
    {coupons.length > 0 ? (
      <CouponTable path={path} coupons={coupons} isManager={isManager} />
    ) : (
      <p class="empty">No coupon credits this partner.</p>
    )}
    {refused?.holder && (
      <p>
        <a href={`${partnersPath}/${refused.holder.id}#coupon-aliases`}>
          “{refused.holder.slug}” has {refused.fields.couponId}
        </a>
      </p>
    )}
    {isManager && (
      <form class="inline" method="post" action={`${path}/coupons`}>
        <Field
          label="Coupon or promotion code id"
          name="couponId"
          hint="As the payment processor knows it."
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
          hint="As buyers know it."
          maxlength={255}
          autocomplete="off"
          spellcheck="false"
          value={refused?.fields.couponLabel}
          errors={refused?.errors}
        />
        <button type="submit">Add the coupon</button>
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
  <Table caption="Coupon aliases" head={['Id', 'Code', ...(isManager ? ['Remove'] : [])]}>
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

/** Name, group and status. */
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
    <h2>Change this partner</h2>
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
        hint="A group can have rewards of its own. They apply to what is reported from now on."
        options={[
          { value: '', label: 'None: the program’s reward' },
          ...groups.map(({ id, name }) => ({ value: id, label: name })),
        ]}
        value={refused ? refused.fields.groupId : partner.groupId}
        errors={refused?.errors}
      />
      <p>
        <button type="submit">Save the partner</button>
      </p>
    </form>
    {partner.status === 'approved' ? <Ban path={path} /> : <LetIn path={path} />}
  </section>
)

const Ban = ({ path }: { path: string }) => (
  <form class="card" method="post" action={`${path}/status`}>
    <h3>Ban this partner</h3>
    <p>
      Its link stops counting at once: no visit, sale or lead is credited to it from now on, not even of
      customers that it brought before. What it has earned stays. An import leaves it banned, and you can let
      it in again here.
    </p>
    <input type="hidden" name="status" value="banned" />
    <button type="submit" class="danger">
      Ban the partner
    </button>
  </form>
)

const LetIn = ({ path }: { path: string }) => (
  <form class="card" method="post" action={`${path}/status`}>
    <h3>Let this partner in again</h3>
    <p>Its link counts again from now on. What was reported while it was banned stays uncredited.</p>
    <input type="hidden" name="status" value="approved" />
    <button type="submit">Let the partner in</button>
  </form>
)

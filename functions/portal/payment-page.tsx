/** The page on which a partner chooses how a workspace pays. */

import type { ErrorDetail } from '../../lib/http/errors.ts'
import type { Fields } from '../../lib/http/validate.ts'
import { Merchant } from '../../lib/pages/brand.tsx'
import { Field, Select } from '../../lib/pages/fields.tsx'
import { Done, Problem, Time } from '../../lib/pages/parts.tsx'
import type { PaymentChoice } from '../../lib/payouts/payment-details.queries.ts'
import {
  METHOD_WORDS,
  offeredMethods,
  type PaymentMethod,
  paidByWords,
} from '../../lib/payouts/payment-details.ts'

type FormProps = { fields: Fields; errors: ErrorDetail[] | undefined }

const HOLDER_OPTIONS = [
  { value: 'person', label: 'Me' },
  { value: 'company', label: 'My company' },
]

const LABELS: Record<string, string> = {
  address: 'Email address of the account',
  iban: 'IBAN',
  name: 'Account holder',
  holder: 'Account of',
}

/** The fields of each method. Only one form is shown at a time, so that ids are unique. */
const FIELDS: Record<Exclude<PaymentMethod, 'stripe'>, (props: FormProps) => unknown> = {
  paypal: (props) => <Address {...props} />,
  wise: (props) => (
    <>
      <Address {...props} />
      <HolderFields {...props} />
    </>
  ),
  iban: (props) => (
    <>
      <Field
        label={LABELS.iban}
        name="iban"
        value={props.fields.iban}
        errors={props.errors}
        required
        maxlength={42}
        autocomplete="off"
      />
      <HolderFields {...props} />
    </>
  ),
}

const Address = ({ fields, errors }: FormProps) => (
  <Field
    label={LABELS.address}
    name="address"
    type="email"
    value={fields.address}
    errors={errors}
    required
    maxlength={320}
  />
)

const HolderFields = ({ fields, errors }: FormProps) => (
  <>
    <Field
      label={LABELS.name}
      name="name"
      hint="As the account names it, in Latin letters."
      value={fields.name}
      errors={errors}
      required
      maxlength={70}
      autocomplete="name"
    />
    <Select
      label={LABELS.holder}
      name="holder"
      options={HOLDER_OPTIONS}
      value={fields.holder}
      errors={errors}
    />
  </>
)

const DetailsForm = ({ path, method, ...props }: FormProps & { path: string; method: PaymentMethod }) => (
  <form method="post" action={path}>
    <h2>{method === 'stripe' ? 'Be paid by Stripe' : `Be paid by ${METHOD_WORDS[method]}`}</h2>
    <input type="hidden" name="method" value={method} />
    {method === 'stripe' ? (
      <p>Payouts go to the Stripe account that you connect on the overview.</p>
    ) : (
      FIELDS[method](props)
    )}
    <p class="hint">
      Your details are stored encrypted. They take effect in 72 hours; until then, your present ones stay in
      force.
    </p>
    <p>
      <button type="submit">Save payment details</button>
    </p>
  </form>
)

const Pending = ({ choice }: { choice: PaymentChoice }) =>
  choice.pending && (
    <section class="card">
      <h2>Change in progress</h2>
      <p>
        From <Time at={new Date(choice.pending.effectiveAt)} /> on, you are paid by{' '}
        {paidByWords(choice.pending)}. If you did not make this change, cancel it.
      </p>
      <form method="post" action={`/portal/payment/cancel?workspace=${choice.workspaceId}`}>
        <input type="hidden" name="id" value={choice.pending.id} />
        <button type="submit" class="danger">
          Cancel change
        </button>
      </form>
    </section>
  )

type Props = {
  choice: PaymentChoice
  /** The support addresses of the merchant's programs. */
  support: string[]
  fields?: Fields
  /** The method whose form is open. */
  method?: PaymentMethod | undefined
  errors?: ErrorDetail[]
  refused?: string
  done?: string | undefined
}

/** How a partner is paid, what will change, and the forms of the methods that the merchant offers. */
export const PaymentPage = ({ choice, support, method, fields = {}, errors, refused, done }: Props) => {
  const path = `/portal/payment?workspace=${choice.workspaceId}`
  const methods = offeredMethods(choice)
  const open = methods.find((one) => one === method) ?? (methods.length === 1 ? methods[0] : undefined)
  return (
    <>
      <h1>Payment details</h1>
      <Done message={done} />
      <Problem message={refused} errors={errors} labels={LABELS} />
      <p>
        <bdi>{choice.workspaceName}</bdi>{' '}
        {choice.current
          ? `pays you by ${paidByWords(choice.current)}.`
          : 'does not know yet how to pay you, unless you connected a Stripe account.'}
      </p>
      <Pending choice={choice} />
      {methods.length > 1 && (
        <>
          <p>{choice.current ? 'Choose a method to change it:' : 'Choose how you want to be paid:'}</p>
          <nav class="periods" aria-label="Payment method">
            {methods.map((one) => (
              <a href={`${path}&method=${one}`} aria-current={one === open ? 'true' : undefined}>
                {METHOD_WORDS[one].replace(/^b/, 'B')}
              </a>
            ))}
          </nav>
        </>
      )}
      {open && <DetailsForm path={`${path}&method=${open}`} method={open} {...{ fields, errors }} />}
      {methods.length === 0 && (
        <p class="empty">
          There is no choice at the moment. Ask <Merchant at={support} /> how you are paid.
        </p>
      )}
      <p>
        <a href="/portal">Back to your programs</a>
      </p>
    </>
  )
}

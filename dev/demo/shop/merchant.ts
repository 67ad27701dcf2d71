/** The shop's business logic: customers sign up and pay, and each is reported to Tributary. */
import { CURRENCY, type Plan } from './plans.ts'
import type { SignUp } from './sign-up.ts'
import {
  type Customer,
  type Invoice,
  newCustomerId,
  newInvoiceId,
  type StripeInvoice,
} from './store.ts'
import type { createTributary } from './tributary.ts'

type Person = Pick<Customer, 'id' | 'name' | 'email' | 'clickId' | 'lead'>

const newCustomer = (person: Person): Customer => ({
  ...person,
  plan: null,
  invoices: [],
  nextInvoiceId: newInvoiceId(),
  subscription: null,
  stripe: null,
})

/** The merchant, which reports through the given client. */
export const createMerchant = (tributary: ReturnType<typeof createTributary>) => ({
  signUp: ({ name, email, clickId }: SignUp): Customer => {
    const id = newCustomerId()
    const lead = tributary.reportLead({
      externalId: id,
      customerEmail: email,
      customerName: name,
      ...(clickId && { clickId }),
    })
    return newCustomer({ id, name, email, clickId, lead })
  },

  /** Creates an account for a buyer who paid with Stripe without one. */
  welcome: (email: string): Customer => {
    const [name = email] = email.split('@')
    return newCustomer({ id: newCustomerId(), name, email, clickId: undefined, lead: null })
  },

  /** Records a payment taken by Stripe, which reports it to Tributary. */
  receive: (customer: Customer, invoice: StripeInvoice, subscription: string): void => {
    customer.plan = invoice.plan
    customer.stripe = invoice.reported.buyer
    customer.subscription = subscription
    customer.invoices.unshift(invoice)
  },

  /**
   * Takes a payment and reports it. The click id comes from the customer's record, also for the
   * first sale.
   */
  charge: (customer: Customer, plan: Plan, eventName: Invoice['eventName']): Invoice => {
    const { id: customerExternalId, clickId, nextInvoiceId: id } = customer
    const delivery = tributary.reportSale({
      externalId: id,
      customerExternalId,
      amountCents: plan.priceCents,
      currency: CURRENCY,
      ...(clickId && { clickId }),
      eventName,
      metadata: { plan: plan.id },
    })
    const invoice: Invoice = {
      id,
      plan,
      eventName,
      paidCents: plan.priceCents,
      paidAt: new Date(),
      reported: { by: 'shop', delivery, repeat: null },
    }
    customer.plan = plan
    customer.subscription = null
    customer.invoices.unshift(invoice)
    customer.nextInvoiceId = newInvoiceId()
    return invoice
  },

  reportAgain: (invoice: Invoice): void => {
    if (invoice.reported.by === 'shop')
      invoice.reported.repeat = tributary.repeat(invoice.reported.delivery)
  },
})

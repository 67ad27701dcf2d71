/** The shop's business: customers sign up and pay, and each time Tributary is told. */
import { CURRENCY, type Plan } from './plans.ts'
import type { SignUp } from './sign-up.ts'
import { type Customer, type Invoice, newCustomerId, newInvoiceId } from './store.ts'
import type { createTributary } from './tributary.ts'

/** The merchant, reporting through the given client. */
export const createMerchant = (tributary: ReturnType<typeof createTributary>) => ({
  signUp: ({ name, email, clickId }: SignUp): Customer => {
    const id = newCustomerId()
    const lead = tributary.reportLead({
      externalId: id,
      customerEmail: email,
      customerName: name,
      ...(clickId && { clickId }),
    })
    return { id, name, email, clickId, plan: null, invoices: [], nextInvoiceId: newInvoiceId(), lead }
  },

  /** Takes the money, and then reports. The click comes from the customer's record, also for the first sale. */
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
    const invoice: Invoice = { id, plan, eventName, paidAt: new Date(), delivery, repeat: null }
    customer.plan = plan
    customer.invoices.unshift(invoice)
    customer.nextInvoiceId = newInvoiceId()
    return invoice
  },

  reportAgain: (invoice: Invoice): void => {
    invoice.repeat = tributary.repeat(invoice.delivery)
  },
})

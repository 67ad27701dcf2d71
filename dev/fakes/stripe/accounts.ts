/** The state of connected accounts: onboarding progress, standing, requirements. */
import { invalidRequest } from './errors.ts'

/** The owner's progress in onboarding. */
type Progress = 'new' | 'half_way' | 'finished'
/** The account's standing at Stripe. */
type Standing = 'good' | 'in_review' | 'restricted' | 'rejected' | 'closed'

export type Connected = {
  id: string
  object: 'account'
  created: Date
  email: string | null
  name: string | null
  country: string | null
  entityType: string | null
  dashboard: 'express' | 'full' | 'none' | null
  feesCollector: 'application' | 'application_custom' | 'application_express' | 'stripe'
  lossesCollector: 'application' | 'stripe'
  metadata: Record<string, string>
  /** Whether it may receive transfers once onboarding is complete. */
  recipient: boolean
  progress: Progress
  standing: Standing
  /** Its bank refused a payout, and Stripe pays nothing out until there is another bank account. */
  refused: boolean
}

/** A requirement: its field in v1 and v2 of the API, and in plain words. */
export type Requirement = { v1: string; v2: string; words: string }

const ABOUT_THE_PERSON: Requirement[] = [
  { v1: 'individual.first_name', v2: 'identity.individual.given_name', words: 'Your first name' },
  { v1: 'individual.last_name', v2: 'identity.individual.surname', words: 'Your last name' },
  {
    v1: 'individual.dob.day',
    v2: 'identity.individual.date_of_birth',
    words: 'Your date of birth',
  },
]
const ABOUT_THE_MONEY: Requirement[] = [
  { v1: 'external_account', v2: 'default_payout_method', words: 'The bank account for your money' },
  {
    v1: 'tos_acceptance.date',
    v2: 'identity.attestations.terms_of_service.account.date',
    words: 'Your agreement to Stripe’s terms',
  },
]
const PROOF: Requirement = {
  v1: 'individual.verification.document',
  v2: 'identity.individual.documents.primary_verification',
  words: 'A photo of your passport or identity card',
}

/** The requirements still due. */
export const dueOf = ({ progress, standing }: Connected): Requirement[] => {
  if (standing === 'rejected' || standing === 'closed') return []
  const asked = {
    new: [...ABOUT_THE_PERSON, ...ABOUT_THE_MONEY],
    half_way: ABOUT_THE_MONEY,
    finished: [],
  }[progress]
  return standing === 'restricted' ? [...asked, PROOF] : asked
}

/** The status of the transfers capability, as v2 of the API names it. */
export const transfersOf = (
  account: Connected,
): 'active' | 'pending' | 'restricted' | 'rejected' => {
  if (account.standing === 'in_review' && account.progress === 'finished') return 'pending'
  if (account.standing === 'rejected') return 'rejected'
  return account.standing === 'good' && account.progress === 'finished' ? 'active' : 'restricted'
}

/** What Stripe or the owner may do to an account. */
export type Step =
  | 'onboard'
  | 'leave'
  | 'review'
  | 'restrict'
  | 'reject'
  | 'restore'
  | 'close'
  | 'change_bank'

const AFTER: Record<Step, (account: Connected) => Partial<Connected>> = {
  onboard: ({ standing }) => ({
    progress: 'finished',
    standing: standing === 'restricted' ? 'good' : standing,
  }),
  leave: ({ progress }) => ({ progress: progress === 'new' ? 'half_way' : progress }),
  review: () => ({ standing: 'in_review' }),
  restrict: () => ({ standing: 'restricted' }),
  reject: () => ({ standing: 'rejected' }),
  restore: () => ({ standing: 'good' }),
  close: () => ({ standing: 'closed' }),
  change_bank: () => ({ refused: false }),
}

/** Applies a step to an account. @throws when it is closed */
export const applyStep = (account: Connected, step: Step): void => {
  if (account.standing === 'closed') throw invalidRequest(`The account ${account.id} is closed.`)
  Object.assign(account, AFTER[step](account))
}

/** Why a partner is not erased yet, and what to do. */
export const STILL_DUE =
  'This partner still has a balance, a held commission or a payout on its way. Pay it, or adjust the balance to zero, and then erase the partner.'

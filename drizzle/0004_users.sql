-- What a trigger gives every new account (`functions/people/users.sql`), for the accounts that were there before it.
insert into api_keys (id, account_id, hash, prefix, label, scopes, environment)
select id, id, 'web:' || id, 'web', 'web', '{read:metadata,read:contacts}', 'web' from accounts;

--> statement-breakpoint
insert into referrals (account_id, code)
select id, left(replace(gen_random_uuid()::text, '-', ''), 12) from accounts;

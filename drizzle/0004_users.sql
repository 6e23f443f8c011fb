-- A trigger gives these rows to every new account (`functions/people/users.sql`); accounts from before it get them here.
insert into api_keys (id, account_id, hash, prefix, label, scopes, environment)
select id, id, 'web:' || id, 'web', 'web', '{read:metadata,read:contacts}', 'web' from accounts;

--> statement-breakpoint
insert into referrals (account_id, code)
select id, left(replace(gen_random_uuid()::text, '-', ''), 12) from accounts;

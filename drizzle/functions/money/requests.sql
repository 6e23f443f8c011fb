-- The log of requests: its rows go with their account.

create or replace function account_requests_go() returns trigger language plpgsql as $$
begin
  delete from request_chunks where account_id = old.id;
  delete from request_days where account_id = old.id;
  return null;
end $$;

select set_trigger('CREATE TRIGGER account_requests_go AFTER DELETE ON accounts FOR EACH ROW EXECUTE FUNCTION account_requests_go()');

{ The two loops in Pascal. Each line asked, "target limit", is answered by one: "i j tried". }
program Search;

{$mode objfpc}{$Q-}{$R-}

var
  Target, Limit: LongInt;

procedure Answer;
var
  I, J, First, Second, Row: LongInt;
  Tried: Int64;
begin
  First := 0;
  Second := 0;
  Tried := 0;
  for I := 1 to Limit - 1 do
  begin
    Row := Limit - I;
    for J := I + 1 to Limit do
      if I * J = Target then
      begin
        First := I;
        Second := J;
        Row := J - I;
        Break;
      end;
    Tried := Tried + Row;
  end;
  WriteLn(First, ' ', Second, ' ', Tried);
  Flush(Output);
end;

begin
  while not Eof do
  begin
    ReadLn(Target, Limit);
    Answer;
  end;
end.

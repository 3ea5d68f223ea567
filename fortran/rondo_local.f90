! The procedures of module rondo that are not generated.
submodule(rondo) rondo_local
  use, intrinsic :: iso_c_binding, only: c_associated, c_char, c_f_pointer, c_size_t
  implicit none

  interface
    function c_last_error() result(text) bind(C, name="rondo_f08_last_error")
      import :: c_ptr
      type(c_ptr) :: text
    end function

    pure function c_strlen(text) result(length) bind(C, name="strlen")
      import :: c_ptr, c_size_t
      type(c_ptr), value, intent(in) :: text
      integer(c_size_t) :: length
    end function
  end interface

contains

  module procedure same_plan
    same = c_associated(a%handle, b%handle) .or. &
        .not. (c_associated(a%handle) .or. c_associated(b%handle))
  end procedure

  module procedure different_plans
    different = .not. a == b
  end procedure

  module procedure Rondo_Get_last_error
    character(kind=c_char), pointer :: characters(:)
    type(c_ptr) :: address
    integer :: i
    address = c_last_error()
    call c_f_pointer(address, characters, [c_strlen(address)])
    allocate (character(size(characters)) :: text)
    do i = 1, size(characters)
      text(i:i) = characters(i)
    end do
  end procedure
end submodule
